/** Owners are notified when a destination fails, works again, or is disabled: in the dashboard, by mail, as an event. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm } from '../../support/client.js';
import { listenToEvents } from '../../support/events.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import type { RunningServer } from '../../support/server.js';
import {
  becomes,
  deliveryBecomes,
  hasState,
  startHookServer,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

const settings = ({ url } = mails) => ({
  WEBHOOK_RETRY_DELAYS: '0.02,0.02,0.02,0.02',
  SMTP_URL: url,
  MAIL_FROM: 'inlet@forms.example.com',
});

let mails: MailServer;
let server: RunningServer;
let api: Client;
const user = { email: 'owner@example.com', password: 'correct horse battery staple' };
beforeAll(async () => {
  mails = await startMailServer();
  server = await startHookServer(settings());
  api = client(server.url);
  expect((await api.post('/api/v1/users', user)).status).toBe(201);
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

const mailsAbout = (name: string): readonly string[] =>
  mails.mails
    .map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? '')
    .filter((text) => text.includes(name));
const subjects = () => mailsAbout('Shaky');
const attention = async (): Promise<readonly { kind: string; detail: string }[]> =>
  (await api.get('/api/v1/attention')).body.data;

describe('a failing destination that sends elsewhere from now on starts afresh', () => {
  /** It has failed once, and is not tried again. */
  async function failing(list: string, endpoint: string) {
    const found = async () => (await api.get(list)).body.data[0];
    const { id } = await found();
    const patched = async (body: object) => (await api.patch(`/api/v1/destinations/${id}`, body)).body.status;
    await patched({ retry: { delays: [] } });
    await submit(endpoint);
    const status = async () => (await found()).status;
    await becomes(status, ({ failing_since }) => failing_since !== null);
    return { patched, status };
  }
  const startedAfresh = { state: 'ok', failing_since: null };

  it('when its config changes', async () => {
    const receiver = await startTurning({ status: 500 });
    const { formId, endpoint } = await makeForm(server.url);
    const list = `/api/v1/forms/${formId}/destinations`;
    const config = { url: receiver.url, headers: { 'X-Token': 'hidden' } };
    await api.post(list, { kind: 'webhook', config });
    const { patched } = await failing(list, endpoint);
    const same = { url: receiver.url, headers: { 'X-Token': null } };
    expect(await patched({ name: 'CRM', config: same })).not.toMatchObject(startedAfresh);
    expect(await patched({ config: { url: `${receiver.url}?v2` } })).toMatchObject(startedAfresh);
    await receiver.close();
  });

  it.each(['forms', 'projects'] as const)(
    'when the webhook URL of its owner in %s changes',
    async (owners) => {
      const receiver = await startTurning({ status: 500 });
      const settings = { webhook_url: receiver.url };
      const made = await makeForm(
        server.url,
        owners === 'forms' ? { form: settings } : { project: settings },
      );
      const path = `/api/v1/${owners}/${owners === 'forms' ? made.formId : made.projectId}`;
      const { status } = await failing(`${path}/destinations`, made.endpoint);
      await api.patch(path, { webhook_url: `${receiver.url}?v2` });
      expect(await status()).toMatchObject(startedAfresh);
      await receiver.close();
    },
  );
});

describe('a destination that fails ten times in a row', () => {
  it('is reported once, and so is that it works again', async () => {
    const receiver = await startTurning({ status: 500 });
    const form = await makeForm(server.url);
    const made = (
      await api.post(`/api/v1/forms/${form.formId}/destinations`, {
        kind: 'webhook',
        name: 'Shaky',
        config: { url: receiver.url },
      })
    ).body;
    const events = await listenToEvents(server.url);
    const state = async () => (await api.get(`/api/v1/destinations/${made.id}`)).body.status;

    for (let n = 0; n < 2; n += 1) await submit(form.endpoint);
    const failing = await becomes(state, (status) => status.state === 'failing');
    expect(failing).toMatchObject({ last_error: 'http_5xx', last_success_at: null });
    expect(failing.failing_since).toMatch(/^20/);
    await becomes(subjects, (all) => all.length === 1);
    expect((await attention()).find(({ kind }) => kind === 'destination_failing')).toMatchObject({
      form_id: form.formId,
      detail: '“Shaky” is failing: the endpoint returned 5xx',
    });

    receiver.turnTo({ status: 200 });
    await submit(form.endpoint);
    await becomes(state, (status) => status.state === 'ok');
    await becomes(subjects, (all) => all.length === 2);
    expect((await attention()).map(({ kind }) => kind)).not.toContain('destination_failing');

    await becomes(events.names, (names) => names.includes('destination.recovered'));
    expect(events.dataOf('destination.failing')).toEqual({
      destination_id: made.id,
      form_id: form.formId,
      project_id: form.projectId,
    });
    expect(subjects().filter((text) => text === 'Failing: Shaky')).toHaveLength(1);
    expect(subjects().filter((text) => text === 'Works again: Shaky')).toHaveLength(1);
    events.close();
    await receiver.close();
  });

  /** Resolves with its id when its users got the mail. */
  async function failing(name: string, receiver: TurningReceiver): Promise<string> {
    const form = await makeForm(server.url);
    const body = { kind: 'webhook', name, config: { url: receiver.url } };
    const { id } = (await api.post(`/api/v1/forms/${form.formId}/destinations`, body)).body;
    for (let n = 0; n < 2; n += 1) await submit(form.endpoint);
    await becomes(
      () => mailsAbout(name),
      (all) => all.includes(`Failing: ${name}`),
    );
    return id;
  }

  it('is reported once, however often it is checked', async () => {
    const receiver = await startTurning({ status: 500 });
    await failing('Earlier', receiver);
    // Checked after the earlier one, in a later step.
    await failing('Later', receiver);
    expect(mailsAbout('Earlier')).toEqual(['Failing: Earlier']);
    await receiver.close();
  });

  it('is not reported as disabled when a user disables it', async () => {
    const receiver = await startTurning({ status: 500 });
    const events = await listenToEvents(server.url);
    const id = await failing('By hand', receiver);
    await api.patch(`/api/v1/destinations/${id}`, { is_active: false });
    // Checked after it, in a later step.
    await failing('Afterwards', receiver);
    expect(mailsAbout('By hand')).toEqual(['Failing: By hand']);
    expect(events.names()).not.toContain('destination.disabled');
    events.close();
    await receiver.close();
  });
});

it('a destination whose failures go on for too long is disabled, and that is reported', async () => {
  const receiver = await startTurning({ status: 500 });
  const failed = async (name: string, delays: readonly number[]) => {
    const form = await makeForm(server.url);
    const body = { kind: 'webhook', name, config: { url: receiver.url }, retry: { delays } };
    const { id } = (await api.post(`/api/v1/forms/${form.formId}/destinations`, body)).body;
    await deliveryBecomes(api, await submit(form.endpoint), hasState('failed'));
    return async () => (await api.get(`/api/v1/destinations/${id}`)).body.status;
  };
  // Older, so it is checked first. Nothing was sent to it since its only failure.
  const once = await failed('Shaky once', []);
  const forLong = await failed('Shaky for long', [0.02]);
  expect(await forLong()).toMatchObject({ state: 'ok' });
  // Now ten milliseconds are too long.
  await server.end();
  const { dataDir } = server;
  server = await startHookServer({ ...settings(), DESTINATION_DISABLE_AFTER: '10 ms' }, { dataDir });
  api = client(server.url);
  await becomes(forLong, ({ state }) => state === 'disabled');
  await becomes(subjects, (all) => all.includes('Disabled: Shaky for long'));
  expect((await attention()).map(({ kind }) => kind)).toContain('destination_disabled');
  expect(await once()).toMatchObject({ state: 'ok', last_error: 'http_5xx' });
  await receiver.close();
});

it('a mail server that hangs does not hold up a stop', async () => {
  const hanging = await startMailServer({ onMailFrom: () => {} });
  const receiver = await startTurning({ status: 500 });
  const stopping = await startHookServer(settings(hanging));
  expect((await client(stopping.url).post('/api/v1/users', user)).status).toBe(201);
  const form = await makeForm(stopping.url, { form: { webhook_url: receiver.url } });
  for (let n = 0; n < 2; n += 1) await submit(form.endpoint);
  await becomes(hanging.open, (open) => open > 0);
  // By force, it would be 1.
  expect(await stopping.end()).toBe(0);
  hanging.drop();
  await Promise.all([stopping.dispose(), receiver.close(), hanging.close()]);
});
