/** Submissions that wait for confirmation: they are new to users when confirmed late, and show why no mail was sent. */
import { afterEach, expect, it } from 'vitest';
import { client } from '../../support/client.js';
import { madePerson, signedIn, withAdmin } from '../../support/dashboard.js';
import { listenToEvents } from '../../support/events.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { asked, confirm, confirmationOf, idsIn, mailing, makeOptInForm } from '../../support/opt-in.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { becomes, deliveriesOf, deliveryBecomes, hasState, submit } from '../../support/webhooks.js';

let server: RunningServer | undefined;
let mails: MailServer | undefined;
afterEach(async () => {
  await server?.dispose();
  await mails?.close();
});

it('is unread for everybody once it is confirmed, and live pages hear of it only then', async () => {
  mails = await startMailServer();
  server = await startServer({ env: { ...mailing(mails), ...withAdmin } });
  const form = await makeOptInForm(server.url);
  const ada = await signedIn(server);
  const grace = await signedIn(server, await madePerson(server, apiKey));
  const unread = async (who: typeof ada) => (await who.ask('GET', '/unread')).body.total;
  const events = await listenToEvents(server.url);
  const { id, link } = await asked(form, mails, 'ada@example.org');
  expect([await unread(ada), await unread(grace)]).toEqual([0, 0]);
  // One user reads it while it waits, the other marks everything as read.
  await ada.ask('PATCH', `/submissions/${id}`, { is_read: true });
  await grace.ask('POST', '/submissions/read-all');
  expect(events.names()).not.toContain('submission.created');
  expect((await confirm(link)).status).toBe(200);
  expect([await unread(ada), await unread(grace)]).toEqual([1, 1]);
  await becomes(
    () => events.names(),
    (names) => names.includes('submission.created'),
  );
  expect(events.dataOf('submission.created')).toMatchObject({ id });
  await ada.ask('POST', '/submissions/read-all');
  expect([await unread(ada), await unread(grace)]).toEqual([0, 1]);
  events.close();
});

it('says why no mail went out without a mail server, and to an address that bounced', async () => {
  mails = await startMailServer({
    onRcptTo: ({ address }, _session, callback) =>
      callback(
        address.startsWith('gone')
          ? Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 })
          : null,
      ),
  });
  server = await startServer({ env: mailing(mails) });
  const api = client(server.url);
  const form = await makeOptInForm(server.url);
  const gone = await submit(form.endpoint, { email: 'gone@example.org' });
  const delivery = await deliveryBecomes(api, gone, hasState('suppressed'));
  expect(delivery.attempts[0]?.error).toContain('no such user');
  expect((await confirmationOf(server.url, gone)).sent_at).toBeNull();
  expect(await idsIn(api, `/api/v1/forms/${form.formId}/submissions?folder=unconfirmed`)).toEqual([gone]);

  await server.end();
  const { dataDir, port } = server;
  server = await startServer({ dataDir, port });
  const mute = await submit(form.endpoint, { email: 'ada@example.org' });
  const unsent = await deliveryBecomes(client(server.url), mute, hasState('suppressed'));
  expect(unsent.attempts[0]?.error).toContain('no_mail_server');
  expect(await deliveriesOf(client(server.url), mute)).toHaveLength(1);
});
