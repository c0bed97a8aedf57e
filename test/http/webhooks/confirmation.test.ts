/** `wait_for_webhook`: the visitor's redirect says how the first attempts went. Interface 4.4, decisions 6. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm, request, submitJson } from '../../support/client.js';
import { refusingUrl, startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { becomes, deliveriesOf, hasState, startHookServer, startTurning } from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '600,600,600,600', WEBHOOK_TIMEOUT: '30' });
  api = client(server.url);
});
afterAll(() => server.dispose());

const formWith = (form: Record<string, unknown>, project: Record<string, unknown> = {}) =>
  makeForm(server.url, {
    project,
    form: { wait_for_webhook: true, success_redirect: 'https://example.com/thanks?a=1#top', ...form },
  });

/** Submits like a browser and returns the redirect. */
async function redirectOf(endpoint: string, fields: Record<string, string> = { name: 'Ada' }): Promise<URL> {
  const answer = await request(endpoint, {
    method: 'POST',
    headers: { accept: 'text/html' },
    body: new URLSearchParams(fields),
  });
  expect(answer.status, answer.text).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}

it('delivered: the receiver took it before the visitor goes on', async () => {
  const receiver = await startAnswering();
  const { endpoint } = await formWith({ webhook_url: receiver.url });
  const to = await redirectOf(endpoint);
  expect(receiver.requests).toHaveLength(1);
  const id = to.searchParams.get('submission_id') ?? '';
  expect(to.href).toBe(
    `https://example.com/thanks?a=1&submission_id=${id}&status=success&webhook=delivered#top`,
  );
  expect(receiver.requests[0]?.headers.get('x-submission-id')).toBe(id);
  expect(await deliveriesOf(api, id)).toMatchObject([{ state: 'delivered' }]);
  await receiver.close();
});

it('pending: the first attempt failed', async () => {
  const receivers = await Promise.all([500, 410].map((status) => startAnswering({ status })));
  for (const url of [...receivers.map((receiver) => receiver.url), await refusingUrl()]) {
    const { endpoint } = await formWith({ webhook_url: url });
    expect((await redirectOf(endpoint)).searchParams.get('webhook')).toBe('pending');
  }
  for (const receiver of receivers) {
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  }
});

it('pending after 10 s at most: the receiver hangs, and still gets it', async () => {
  const receiver = await startTurning('hang');
  const { endpoint } = await formWith({ webhook_url: receiver.url });
  const before = Date.now();
  const to = await redirectOf(endpoint);
  const tookMs = Date.now() - before;
  expect(to.searchParams.get('webhook')).toBe('pending');
  expect(tookMs).toBeGreaterThanOrEqual(9_500);
  // The attempt itself may take 30 s: the visitor did not wait for it.
  const id = to.searchParams.get('submission_id') ?? '';
  expect(await deliveriesOf(api, id)).toMatchObject([{ state: 'pending', attempts: [] }]);
  receiver.release();
  await becomes(
    () => deliveriesOf(api, id),
    (all) => all.every(hasState('delivered')),
  );
  await receiver.close();
});

describe('two targets', () => {
  it('delivered only when both took it', async () => {
    const [one, two] = [await startTurning(), await startTurning()];
    const { endpoint } = await formWith({ webhook_url: one.url }, { webhook_url: two.url });
    expect((await redirectOf(endpoint)).searchParams.get('webhook')).toBe('delivered');
    expect([one.requests.length, two.requests.length]).toEqual([1, 1]);
    two.turnTo({ status: 500 });
    expect((await redirectOf(endpoint)).searchParams.get('webhook')).toBe('pending');
    expect([one.requests.length, two.requests.length]).toEqual([2, 2]);
    await Promise.all([one.close(), two.close()]);
  });

  it('waits for the slower one', async () => {
    const [quick, slow] = [await startTurning(), await startTurning('hang')];
    const { endpoint } = await formWith({ webhook_url: quick.url }, { webhook_url: slow.url });
    const waiting = redirectOf(endpoint);
    await becomes(
      () => quick.requests.length + slow.requests.length,
      (count) => count === 2,
    );
    slow.release();
    expect((await waiting).searchParams.get('webhook')).toBe('delivered');
    await Promise.all([quick.close(), slow.close()]);
  });
});

it('without an address it is pending, at once', async () => {
  const { endpoint } = await formWith({});
  expect((await redirectOf(endpoint)).searchParams.get('webhook')).toBe('pending');
});

it('says nothing when the form does not wait', async () => {
  const receiver = await startTurning('hang');
  const { endpoint } = await formWith({ webhook_url: receiver.url, wait_for_webhook: false });
  expect((await redirectOf(endpoint)).searchParams.has('webhook')).toBe(false);
  await receiver.close();
});

it('answers in JSON do not wait', async () => {
  const receiver = await startTurning('hang');
  const { endpoint } = await formWith({ webhook_url: receiver.url });
  const answer = await submitJson(endpoint, { name: 'Ada' });
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body).sort()).toEqual(['files', 'submission_id', 'success']);
  const accepting = await request(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ name: 'Ada' }),
  });
  expect(accepting.status).toBe(200);
  // Both got their response while the receiver was still hanging.
  const id = answer.body.submission_id;
  expect(await deliveriesOf(api, id)).toMatchObject([{ state: 'pending', attempts: [] }]);
  await receiver.close();
});

it('many visitors wait at once, each for their own', async () => {
  const receiver = await startTurning();
  const { endpoint } = await formWith({ webhook_url: receiver.url });
  const all = await Promise.all(Array.from({ length: 30 }, (_, n) => redirectOf(endpoint, { n: String(n) })));
  expect(all.map((to) => to.searchParams.get('webhook'))).toEqual(Array(30).fill('delivered'));
  await receiver.close();
});

it('a visitor who leaves costs nobody anything', async () => {
  const receiver = await startTurning('hang');
  const { endpoint, formId } = await formWith({ webhook_url: receiver.url });
  const leaving = new AbortController();
  const gone = request(endpoint, {
    method: 'POST',
    headers: { accept: 'text/html' },
    body: new URLSearchParams({ name: 'Ada' }),
    signal: leaving.signal,
  });
  await becomes(
    () => receiver.requests.length,
    (count) => count === 1,
  );
  leaving.abort();
  await expect(gone).rejects.toThrow();
  receiver.release();
  const { body } = await api.get(`/api/v1/forms/${formId}/submissions`);
  await becomes(
    () => deliveriesOf(api, body.data[0].id),
    (all) => all.every(hasState('delivered')),
  );
  await receiver.close();
});
