/** Responses stay true after a restart: settings, keys, counts, search, deletions. */
import { expect, it } from 'vitest';
import { type Client, client, makeForm, submitJson } from '../../support/client.js';
import { expectProblem } from '../../support/contract.js';
import { startServer } from '../../support/server.js';

it('answers the same on the data of the server before it', async () => {
  const first = await startServer();
  let api: Client = client(first.url);
  const kept = await makeForm(first.url, {
    project: { name: 'Kept' },
    form: { sandbox_ips: ['10.0.0.0/8'] },
  });
  const removed = await makeForm(first.url, { project: { name: 'Removed' } });
  const { submission_id: id } = (await submitJson(kept.endpoint, { text: 'findable words' })).body;
  const { submission_id: removedId } = (await submitJson(removed.endpoint, { text: 'gone' })).body;
  const key = (await api.post('/api/v1/api-keys', { name: 'Kept' })).body;
  const revoked = (await api.post('/api/v1/api-keys', { name: 'Revoked' })).body;
  await api.delete(`/api/v1/api-keys/${revoked.id}`);
  await api.delete(`/api/v1/projects/${removed.projectId}`);

  const paths = [
    '/api/v1/projects',
    `/api/v1/projects/${kept.projectId}`,
    `/api/v1/forms/${kept.formId}`,
    `/api/v1/submissions/${id}`,
    `/api/v1/projects/${kept.projectId}/submissions?q=findable`,
    `/api/v1/forms/${kept.formId}/submissions/export?format=csv`,
  ];
  const texts = async (): Promise<string[]> => {
    const answers = [];
    for (const path of paths) answers.push((await api.get(path)).text);
    return answers;
  };
  const before = await texts();
  await first.end();

  const second = await startServer({ dataDir: first.dataDir, port: first.port });
  api = client(second.url);
  expect(await texts()).toEqual(before);
  expect((await client(second.url, key.api_key).get('/api/v1/account')).status).toBe(200);
  expectProblem(await client(second.url, revoked.api_key).get('/api/v1/account'), 401, 'Invalid API key');
  expectProblem(await api.get(`/api/v1/projects/${removed.projectId}`), 404, 'Project not found');
  expectProblem(await api.get(`/api/v1/forms/${removed.formId}`), 404, 'Form not found');
  expectProblem(await api.get(`/api/v1/submissions/${removedId}`), 404, 'Submission not found');
  await second.dispose();
});
