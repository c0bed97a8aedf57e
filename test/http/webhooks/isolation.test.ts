/** A receiver that hangs delays no other. Judged by what has arrived while it still hangs, not by the clock. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Client, client, makeForm } from '../../support/client.js';
import type { RunningServer } from '../../support/server.js';
import {
  becomes,
  deliveryBecomes,
  hasState,
  startHookServer,
  startTurning,
  submit,
} from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  // Attempts at a hanging receiver end only when the test lets them.
  server = await startHookServer({ WEBHOOK_TIMEOUT: '600', WEBHOOK_RETRY_DELAYS: '600,600,600,600' });
  api = client(server.url);
});
afterAll(() => server.dispose());

/** Closed after the test, however it ends: one that still hangs would disturb the next test. */
async function start(first?: 'hang') {
  const receiver = await startTurning(first);
  onTestFinished(() => receiver.close());
  return receiver;
}

const submitMany = async (endpoint: string, count: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => submit(endpoint, { n })));

it('300 waiting at one that hangs, and 20 healthy receivers get all of theirs', async () => {
  const hanging = await start('hang');
  const stuck = await makeForm(server.url, { form: { webhook_url: hanging.url } });
  const stuckIds = await submitMany(stuck.endpoint, 300);
  await becomes(
    () => hanging.requests.length,
    (count) => count > 0,
  );

  const healthy = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const receiver = await start();
      const made = await makeForm(server.url, { form: { webhook_url: receiver.url } });
      return { receiver, ids: await submitMany(made.endpoint, 10) };
    }),
  );
  for (const { receiver, ids } of healthy) {
    for (const id of ids) await deliveryBecomes(api, id, hasState('delivered'));
    expect(receiver.requests).toHaveLength(10);
  }

  // It still hangs: a few requests, each on its own connection, and no response to any.
  expect(hanging.requests.length).toBeLessThanOrEqual(4);
  expect(hanging.openConnections()).toBeLessThanOrEqual(4);
  expect(hanging.connections()).toBeLessThanOrEqual(4);

  hanging.turnTo({ status: 200 });
  hanging.release();
  for (const id of stuckIds) await deliveryBecomes(api, id, hasState('delivered'));
  const served = hanging.requests.map(({ headers }) => headers.get('x-submission-id') ?? '');
  expect(served.sort()).toEqual([...stuckIds].sort());
});

it('20 that hang leave room for a healthy one that was not seen before', async () => {
  const hanging = await Promise.all(Array.from({ length: 20 }, () => start('hang')));
  for (const receiver of hanging) {
    const made = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    await submitMany(made.endpoint, 6);
  }
  const healthy = await start();
  const made = await makeForm(server.url, { form: { webhook_url: healthy.url } });
  const id = await submit(made.endpoint);
  await deliveryBecomes(api, id, hasState('delivered'));
});

it('two targets of one form: the one that hangs does not hold up the other', async () => {
  const hanging = await start('hang');
  const healthy = await start();
  const made = await makeForm(server.url, {
    project: { webhook_url: hanging.url },
    form: { webhook_url: healthy.url },
  });
  const ids = await submitMany(made.endpoint, 20);
  await becomes(
    () => healthy.requests.length,
    (count) => count === ids.length,
  );
  expect(hanging.requests.length).toBeLessThanOrEqual(4);
});
