/**
 * Stopping and dying in the middle of a send: an attempt that was cut off does not count, and is made again. All at once: on PostgreSQL
 * each waits until a killed process counts as gone.
 */
import { expect, it } from 'vitest';
import { client, makeForm } from '../../support/client.js';
import {
  becomes,
  deliveriesOf,
  deliveryBecomes,
  hasState,
  isWaiting,
  startHookServer,
  startTurning,
  submit,
} from '../../support/webhooks.js';

const env = { WEBHOOK_RETRY_DELAYS: '600,600,600,600', WEBHOOK_TIMEOUT: '600' };

it.concurrent.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s with sends in flight: they are made again, as attempt 1',
  async (signal) => {
    const first = await startHookServer(env);
    const receiver = await startTurning('hang');
    const made = await makeForm(first.url, { form: { webhook_url: receiver.url } });
    // A receiver that has responded once gets several requests at a time.
    receiver.turnTo({ status: 200 });
    await deliveryBecomes(client(first.url), await submit(made.endpoint), hasState('delivered'));
    receiver.turnTo(() => {});
    const ids = [await submit(made.endpoint), await submit(made.endpoint), await submit(made.endpoint)];
    await becomes(
      () => receiver.requests.length,
      (count) => count === 4,
    );
    const asked = Date.now();
    const code = await first.end(signal);
    expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
    expect(Date.now() - asked).toBeLessThan(20_000);

    receiver.turnTo({ status: 200 });
    const second = await startHookServer(env, { dataDir: first.dataDir });
    const api = client(second.url);
    for (const id of ids) {
      const { attempts } = await deliveryBecomes(api, id, hasState('delivered'));
      expect(attempts.map(({ number, trigger }) => [number, trigger])).toEqual([[1, 'auto']]);
    }
    const numbers = receiver.requests.map(({ headers }) => headers.get('x-webhook-attempt'));
    expect(numbers).toEqual(Array(7).fill('1'));
    const [, before] = receiver.requests;
    const after = receiver.requests
      .slice(4)
      .find(({ headers }) => headers.get('x-submission-id') === before?.headers.get('x-submission-id'));
    expect(after?.body.equals(before?.body ?? Buffer.alloc(0))).toBe(true);
    expect(after?.headers.get('webhook-id')).toBe(before?.headers.get('webhook-id'));
    await receiver.close();
    await second.dispose();
  },
);

it.concurrent('SIGTERM lets a send end that is nearly done, and records it', async () => {
  const first = await startHookServer(env);
  const receiver = await startTurning('hang');
  const made = await makeForm(first.url, { form: { webhook_url: receiver.url } });
  const id = await submit(made.endpoint);
  await becomes(
    () => receiver.requests.length,
    (count) => count === 1,
  );
  const ended = first.end();
  // It accepts no more connections: it is stopping.
  await becomes(
    () =>
      fetch(`${first.url}/healthz`).then(
        () => false,
        () => true,
      ),
    (isClosed) => isClosed,
  );
  receiver.release();
  expect(await ended).toBe(0);
  const second = await startHookServer(env, { dataDir: first.dataDir });
  expect(await deliveriesOf(client(second.url), id)).toMatchObject([
    { state: 'delivered', attempts: [{ number: 1, status: 200 }] },
  ]);
  expect(receiver.requests).toHaveLength(1);
  await receiver.close();
  await second.dispose();
});

it.concurrent('a restart uses up no attempt and keeps the time of the next one', async () => {
  const first = await startHookServer(env);
  const receiver = await startTurning({ status: 500 });
  const made = await makeForm(first.url, { form: { webhook_url: receiver.url } });
  const id = await submit(made.endpoint);
  const before = await deliveryBecomes(client(first.url), id, isWaiting);
  await first.end('SIGKILL');
  const second = await startHookServer(env, { dataDir: first.dataDir });
  // Something new has been sent since the restart; the waiting delivery has not.
  await deliveryBecomes(client(second.url), await submit(`${second.url}/f/${made.publicId}`), isWaiting);
  expect(await deliveriesOf(client(second.url), id)).toEqual([before]);
  expect(receiver.requests).toHaveLength(2);
  await receiver.close();
  await second.dispose();
});

it.concurrent('what was accepted while nothing could be sent goes out after the restart', async () => {
  const first = await startHookServer(env);
  const blocker = await startTurning('hang');
  const made = await makeForm(first.url, { form: { webhook_url: blocker.url } });
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1) ids.push(await submit(made.endpoint, { n }));
  await first.end('SIGKILL');
  blocker.turnTo({ status: 200 });
  const second = await startHookServer(env, { dataDir: first.dataDir });
  for (const id of ids) await deliveryBecomes(client(second.url), id, hasState('delivered'));
  const all = new Set(blocker.requests.map(({ headers }) => headers.get('x-submission-id')));
  expect(all).toEqual(new Set(ids));
  await blocker.close();
  await second.dispose();
});
