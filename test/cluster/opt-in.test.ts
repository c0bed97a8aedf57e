/** Two processes: one confirmation, whichever process gets the request, and no more mails to one address than one process would send. */
import { afterEach, expect, it } from 'vitest';
import { client } from '../support/client.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { asked, confirm, mailing, mailsTo, makeOptInForm } from '../support/opt-in.js';
import { type Receiver, startAnswering } from '../support/receivers.js';
import { becomes, deliveriesOf, hasState, submit } from '../support/webhooks.js';
import { type Cluster, newCluster } from './cluster.js';

let cluster: Cluster | undefined;
let mails: MailServer | undefined;
let receiver: Receiver | undefined;
afterEach(async () => {
  await cluster?.dispose();
  await mails?.close();
  await receiver?.close();
});

it('confirms once, and sends an address no more than its share', { timeout: 180_000 }, async () => {
  mails = await startMailServer();
  receiver = await startAnswering({ status: 200 });
  cluster = await newCluster(mailing(mails));
  const servers = [await cluster.start(), await cluster.start()] as const;
  const [{ url }] = servers;
  const api = client(url);
  const form = await makeOptInForm(url, { webhook_url: receiver.url });
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const { id, link } = await asked(form, mails, `visitor${n}@example.org`);
    const path = new URL(link).pathname;
    const pages = await Promise.all(
      [0, 1, 0, 1].map((place) => confirm(`${servers[place === 0 ? 0 : 1].url}${path}`)),
    );
    const titles = pages.map(({ text }) => /<h1>(.*)<\/h1>/.exec(text)?.[1]).sort();
    expect(titles).toEqual([...Array(3).fill('Already confirmed'), 'Confirmed']);
    ids.push(id);
  }
  for (const id of ids)
    await becomes(
      () => deliveriesOf(api, id),
      (all) => all.length === 2 && all.every(hasState('delivered')),
    );
  expect(receiver.requests.map(({ headers }) => headers.get('x-submission-id')).sort()).toEqual(ids.sort());
  expect((await api.get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(10);

  const bombs = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      submit(`${servers[n % 2 === 0 ? 0 : 1].url}/f/${form.publicId}`, { email: 'stranger@example.org' }),
    ),
  );
  for (const id of bombs)
    await becomes(
      () => deliveriesOf(api, id),
      ([delivery]) => delivery?.state === 'delivered' || delivery?.state === 'suppressed',
    );
  expect(await mailsTo(mails, 'stranger@example.org')).toHaveLength(3);
});
