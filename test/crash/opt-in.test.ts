/** The server dies while it asks for a confirmation or receives one: nothing is lost, and nothing happens twice. */
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { client, type MadeForm } from '../support/client.js';
import { noteFaults } from '../support/fault-counts.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import {
  asked,
  confirm,
  confirmationOf,
  idsIn,
  linkFor,
  mailing,
  mailsTo,
  makeOptInForm,
} from '../support/opt-in.js';
import { type Receiver, startAnswering } from '../support/receivers.js';
import { type RunningServer, startServer } from '../support/server.js';
import { becomes, deliveriesOf, deliveryBecomes, hasState, submit } from '../support/webhooks.js';

const hook = fileURLToPath(new URL('../support/crash-hook.mjs', import.meta.url));
const dyingAt = (point: string) => ['--import', `file://${hook}?at=${point}`];

let server: RunningServer | undefined;
let mails: MailServer;
let receiver: Receiver;
afterEach(async () => {
  await server?.dispose();
  server = undefined;
  await mails.close();
  await receiver.close();
});

/** A form on a server that was stopped gracefully. */
async function prepared(): Promise<{ stopped: RunningServer; form: MadeForm; env: Record<string, string> }> {
  mails = await startMailServer();
  receiver = await startAnswering({ status: 200 });
  const env = mailing(mails);
  const stopped = await startServer({ env });
  const form = await makeOptInForm(stopped.url, { webhook_url: receiver.url });
  return { stopped, form, env };
}

const restarted = async ({ dataDir, port }: RunningServer, env: Record<string, string>) => {
  server = await startServer({ dataDir, port, env });
  return server;
};

describe('a server that dies', () => {
  it.each([
    ['before-claim', 1],
    ['after-claim', 1],
    ['before-record', 2],
    ['after-record', 1],
  ])('%s of the mail: it arrives %i time(s), under one id, and its link works', async (point, times) => {
    const { stopped, form, env } = await prepared();
    await stopped.end();
    const { dataDir, port } = stopped;
    server = await startServer({ dataDir, port, env, nodeArguments: dyingAt(point) });
    const id = await submit(form.endpoint, { email: 'ada@example.org' });
    expect(await server.exited, 'it died').toBeNull();

    const { url } = await restarted(server, env);
    await deliveryBecomes(client(url), id, hasState('delivered'));
    noteFaults('sigkill-named', { faults: 1, acknowledged: 1, lost: 0 });
    const sent = await mailsTo(mails, 'ada@example.org');
    expect(sent).toHaveLength(times);
    expect(new Set(sent.map(({ parsed }) => parsed.messageId)).size).toBe(1);
    expect((await confirmationOf(url, id)).sent_at).not.toBeNull();
    expect((await confirm(await linkFor(mails, 'ada@example.org'))).text).toContain('Confirmed');
    await becomes(
      () => receiver.requests.length,
      (count) => count > 0,
    );
  });

  it.each([
    ['before-confirm', false],
    ['after-confirm', false],
    ['before-commit', false],
    ['after-commit', true],
  ])('%s of a confirmation: all of it happened, or nothing', async (point, isDone) => {
    const { stopped, form, env } = await prepared();
    const { id, link } = await asked(form, mails, 'ada@example.org');
    await deliveryBecomes(client(stopped.url), id, hasState('delivered'));
    await stopped.end();
    const { dataDir, port } = stopped;
    server = await startServer({ dataDir, port, env, nodeArguments: dyingAt(point) });
    await expect(confirm(link)).rejects.toThrow();
    expect(await server.exited, 'it died').toBeNull();
    expect(receiver.requests).toEqual([]);

    const { url } = await restarted(server, env);
    const api = client(url);
    noteFaults('sigkill-named', { faults: 1, acknowledged: 1, lost: 0 });
    expect((await confirmationOf(url, id)).state).toBe(isDone ? 'confirmed' : 'unconfirmed');
    const inbox = `/api/v1/forms/${form.formId}/submissions`;
    expect(await idsIn(api, inbox)).toEqual(isDone ? [id] : []);
    expect((await confirm(link)).text).toContain(isDone ? 'Already confirmed' : '<h1>Confirmed');
    await becomes(
      () => deliveriesOf(api, id),
      (all) => all.length === 2 && all.every(hasState('delivered')),
    );
    expect(receiver.requests).toHaveLength(1);
    expect(await idsIn(api, inbox)).toEqual([id]);
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(1);
  });
});
