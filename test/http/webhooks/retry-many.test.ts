/** Sending a selection again: POST /api/v1/deliveries/retry. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFaults, unknownId } from '../../support/contract.js';
import { startMailServer } from '../../support/mail-server.js';
import { type RunningServer, startServer } from '../../support/server.js';
import {
  becomes,
  deliveriesOf,
  deliveryBecomes,
  hasState,
  isWaiting,
  startHookServer,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
let receiver: TurningReceiver;
beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '3600,3600,3600,3600' });
  api = client(server.url);
  receiver = await startTurning();
});
afterAll(async () => {
  await server.dispose();
  await receiver.close();
});

const retry = (body: unknown, who = api) => who.post('/api/v1/deliveries/retry', body);
const newForm = (): Promise<MadeForm> => makeForm(server.url, { form: { webhook_url: receiver.url } });

/** A submission whose only delivery is waiting, and that delivery. */
async function waiting(form: MadeForm): Promise<{ id: string; deliveryId: string }> {
  receiver.turnTo({ status: 503 });
  const id = await submit(form.endpoint);
  return { id, deliveryId: (await deliveryBecomes(api, id, isWaiting)).id };
}

it('sends deliveries of any state again, each once, at the pace of a replay', async () => {
  const form = await newForm();
  const [first, second] = [await waiting(form), await waiting(form)];
  receiver.turnTo({});
  const arrived = await submit(form.endpoint);
  const { id: arrivedId } = await deliveryBecomes(api, arrived, hasState('delivered'));
  const before = receiver.times.length;
  const askedAt = Date.now();
  const ids = [first.deliveryId, second.deliveryId, arrivedId, arrivedId, unknownId, 'no id'];
  const answer = await retry({ ids });
  expect([answer.status, answer.body]).toEqual([202, { queued: 3 }]);
  for (const id of [first.id, second.id]) {
    const { attempts } = await deliveryBecomes(api, id, hasState('delivered'));
    expect(attempts.map(({ trigger }) => trigger)).toEqual(['auto', 'replay']);
  }
  await deliveryBecomes(api, arrived, (one) => one.state === 'delivered' && one.attempts.length === 2);
  expect(receiver.times).toHaveLength(before + 3);
  // 600 a minute: the third is due 200 ms after the first.
  expect((receiver.times.at(-1) ?? 0) - askedAt).toBeGreaterThanOrEqual(200);
});

it('sends what has not arrived of submissions', async () => {
  const form = await newForm();
  const { id } = await waiting(form);
  receiver.turnTo({});
  const arrived = await submit(form.endpoint);
  await deliveryBecomes(api, arrived, hasState('delivered'));
  expect((await retry({ submission_ids: [id, arrived] })).body).toEqual({ queued: 1 });
  await deliveryBecomes(api, id, hasState('delivered'));
  expect((await deliveryBecomes(api, arrived, hasState('delivered'))).attempts).toHaveLength(1);
});

it('leaves out what is being sent, what another account has, and what has no destination any more', async () => {
  const form = await newForm();
  const { id, deliveryId } = await waiting(form);
  const other = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
  expect((await retry({ ids: [deliveryId] }, other)).body).toEqual({ queued: 0 });
  expect((await retry({ submission_ids: [id] }, other)).body).toEqual({ queued: 0 });
  expect((await deliveryBecomes(api, id, isWaiting)).attempts).toHaveLength(1);
  const held = receiver.requests.length;
  receiver.turnTo(() => {});
  expect((await retry({ ids: [deliveryId] })).body).toEqual({ queued: 1 });
  await becomes(
    () => receiver.requests.length,
    (seen) => seen > held,
  );
  expect((await retry({ ids: [deliveryId] })).body).toEqual({ queued: 0 });
  const gone = await newForm();
  const lost = await waiting(gone);
  await api.patch(`/api/v1/forms/${gone.formId}`, { webhook_url: null });
  expect((await retry({ ids: [lost.deliveryId] })).body).toEqual({ queued: 0 });
});

it('sends no mail twice', async () => {
  const mails = await startMailServer();
  const posting = await startServer({ env: { SMTP_URL: mails.url, MAIL_FROM: 'inlet@example.com' } });
  try {
    const mine = client(posting.url);
    const form = await makeForm(posting.url, { form: { notify_emails: ['ada@example.com'] } });
    const id = await submit(form.endpoint);
    const [sent] = await becomes(
      () => deliveriesOf(mine, id),
      ([one]) => one?.state === 'delivered',
    );
    expect((await retry({ ids: [sent?.id] }, mine)).body).toEqual({ queued: 0 });
  } finally {
    await posting.dispose();
    await mails.close();
  }
});

it('takes deliveries or submissions, at most 1,000', async () => {
  expectFaults(await retry({}), ['ids']);
  expectFaults(await retry({ ids: [unknownId], submission_ids: [unknownId] }), ['ids']);
  expectFaults(await retry({ ids: [] }), ['ids']);
  expectFaults(await retry({ ids: new Array(1_001).fill(unknownId) }), ['ids']);
  expectFaults(await retry({ submission_ids: new Array(1_001).fill(unknownId) }), ['submission_ids']);
  expect((await retry({ ids: new Array(1_000).fill(unknownId) })).body).toEqual({ queued: 0 });
});
