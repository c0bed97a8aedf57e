/** A new signing secret: for a day the old one signs as well, so that receivers can switch at their own pace. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { startTimeServer, type TimeServer } from '../../support/clock.js';
import type { ReceivedRequest } from '../../support/receivers.js';
import {
  becomes,
  deliveryBecomes,
  hasAttempts,
  isWaiting,
  signatureOf,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

let server: TimeServer;
let api: Client;
let receiver: TurningReceiver;
let made: MadeForm;
beforeAll(async () => {
  server = await startTimeServer(13 * 3_600_000, { env: { WEBHOOK_RETRY_DELAYS: '600,600,600,600' } });
  api = client(server.url);
  receiver = await startTurning();
  made = await makeForm(server.url, { form: { webhook_url: receiver.url } });
});
afterAll(async () => {
  await receiver.close();
  await server.dispose();
});

const secret = async (): Promise<string> =>
  (await api.get(`/api/v1/projects/${made.projectId}`)).body.webhook_secret;
const rotate = () => api.post(`/api/v1/projects/${made.projectId}/webhook-secret`);

async function arrived(id: string, count = 1): Promise<ReceivedRequest> {
  const all = await becomes(
    () => receiver.requests.filter(({ headers }) => headers.get('x-submission-id') === id),
    (seen) => seen.length >= count,
  );
  const last = all.at(-1);
  if (!last) throw new Error('nothing arrived');
  return last;
}

const previous = 'x-webhook-signature-previous';
const verifies = (key: string, { body, headers }: ReceivedRequest): boolean => {
  try {
    new Webhook(key).verify(body, Object.fromEntries(headers));
    return true;
  } catch {
    return false;
  }
};

it('signs with both until the old one has run out, also what was planned before', async () => {
  const old = await secret();
  const plain = await arrived(await submit(made.endpoint));
  expect(plain.headers.has(previous)).toBe(false);
  expect(plain.headers.get('x-webhook-signature')).toBe(signatureOf(plain.body, old));

  receiver.turnTo({ status: 500 });
  const waitingId = await submit(made.endpoint);
  await deliveryBecomes(api, waitingId, isWaiting);
  receiver.turnTo({ status: 200 });
  expect((await rotate()).status).toBe(200);
  const now = await secret();
  expect(now).not.toBe(old);

  const fresh = await arrived(await submit(made.endpoint));
  expect((await api.post(`/api/v1/submissions/${waitingId}/retry-webhook`)).status).toBe(202);
  await deliveryBecomes(api, waitingId, hasAttempts(2));
  for (const seen of [fresh, await arrived(waitingId, 2)]) {
    expect(seen.headers.get('x-webhook-signature')).toBe(signatureOf(seen.body, now));
    expect(seen.headers.get(previous)).toBe(signatureOf(seen.body, old));
    expect(verifies(now, seen)).toBe(true);
    expect(verifies(old, seen)).toBe(true);
  }

  const test = await api.post(`/api/v1/forms/${made.formId}/webhook-test`, {});
  expect(test.body.delivered).toBe(true);
  const tested = receiver.requests.at(-1);
  expect(tested?.headers.get(previous)).toBe(signatureOf(tested?.body ?? Buffer.alloc(0), old));
});

it('drops the one before the last, and after a day the last', async () => {
  const older = await secret();
  await rotate();
  const old = await secret();
  await rotate();
  const now = await secret();
  const seen = await arrived(await submit(made.endpoint));
  expect(seen.headers.get('x-webhook-signature')).toBe(signatureOf(seen.body, now));
  expect(seen.headers.get(previous)).toBe(signatureOf(seen.body, old));
  expect(verifies(older, seen)).toBe(false);

  await server.step();
  const halfway = await arrived(await submit(made.endpoint));
  expect(halfway.headers.get(previous)).toBe(signatureOf(halfway.body, old));
  await server.step();
  const later = await arrived(await submit(made.endpoint));
  expect(later.headers.has(previous)).toBe(false);
  expect(later.headers.get('x-webhook-signature')).toBe(signatureOf(later.body, now));
  expect(later.headers.get('webhook-signature')).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
});
