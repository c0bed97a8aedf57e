/** `max_submissions` is exact, whichever process a submission reaches. */
import { afterEach, expect, it } from 'vitest';
import { client, makeForm, submitJson } from '../support/client.js';
import { type Cluster, newCluster } from './cluster.js';

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.dispose();
  cluster = undefined;
});

it('takes exactly so many over two processes, and forms with a maximum do not block each other', {
  timeout: 180_000,
}, async () => {
  cluster = await newCluster();
  const servers = [await cluster.start(), await cluster.start()];
  const [first] = servers;
  if (!first) throw new Error('no server');
  const forms = await Promise.all([
    makeForm(first.url, { form: { max_submissions: 50 } }),
    makeForm(first.url, { form: { max_submissions: 50 } }),
  ]);
  const sent = await Promise.all(
    Array.from({ length: 400 }, async (_, i) => {
      const form = forms[i % 2];
      const server = servers[Math.floor(i / 2) % 2];
      const { status } = await submitJson(`${server?.url}/f/${form?.publicId}`, { i });
      return { form: i % 2, status };
    }),
  );
  for (const [place, form] of forms.entries()) {
    const statuses = sent.filter((one) => one.form === place).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.filter((status) => status === 403)).toHaveLength(150);
    const { submissions_count } = (await client(first.url).get(`/api/v1/forms/${form.formId}`)).body;
    expect(submissions_count).toBe(50);
  }
});
