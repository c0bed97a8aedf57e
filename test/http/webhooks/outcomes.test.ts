/** What the attempt log says about a receiver, and how long it is stored. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, makeForm } from '../../support/client.js';
import { expectFields, fields, instant, unknownId, uuid } from '../../support/contract.js';
import {
  type Receiver,
  refusingUrl,
  startAnswering,
  startClosing,
  startDrippingBody,
  startDrippingHead,
  startEndlessBody,
  startEndlessInterim,
  startGzipBomb,
  startHanging,
  startHeaderFlood,
  startRedirecting,
  startSaying,
  startTlsGarbage,
} from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import {
  becomes,
  deliveriesOf,
  deliveryBecomes,
  hasAttempts,
  hasState,
  isWaiting,
  startHookServer,
  submit,
} from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '600,600,600,600', WEBHOOK_TIMEOUT: '1' });
  api = client(server.url);
});
afterAll(() => server.dispose());

async function firstAttemptAt(url: string) {
  const made = await makeForm(server.url, { form: { webhook_url: url } });
  const id = await submit(made.endpoint);
  const delivery = await deliveryBecomes(api, id, hasAttempts(1));
  const [attempt] = delivery.attempts;
  if (!attempt) throw new Error('no attempt');
  return { ...made, id, delivery, attempt };
}

const startResetting = () => startSaying('HTTP/1.1 200 OK\r\nContent-Le', 'reset');

describe('a failed attempt', () => {
  it.each<[string, () => Promise<Receiver>, RegExp]>([
    ['hangs', startHanging, /^timeout: /],
    ['drips its head', startDrippingHead, /^timeout: /],
    [
      'sends 1xx for ever',
      () => startEndlessInterim(20),
      /^(timeout|invalid_response|response_headers_too_large): /,
    ],
    ['closes without an answer', startClosing, /^reset: /],
    ['resets in the middle of the head', startResetting, /^reset: /],
    ['floods with headers', startHeaderFlood, /^response_headers_too_large: /],
    ['speaks something else', () => startSaying('220 mail.example.com ESMTP\r\n\r\n'), /^invalid_response: /],
    ['speaks no TLS', startTlsGarbage, /^tls_error: /],
    ['redirects', () => startRedirecting('http://127.0.0.1/elsewhere'), /^redirect/],
  ])('says so when the receiver %s', async (_name, start, error) => {
    const receiver = await start();
    const { attempt, delivery } = await firstAttemptAt(receiver.url);
    expect(attempt.error).toMatch(error);
    expect(attempt.error).not.toMatch(/[\r\n]/);
    expect(delivery.state).toBe('pending');
    expect(delivery.next_attempt_at).toMatch(instant);
    await receiver.close();
  });

  it('says so when nobody listens', async () => {
    const { attempt } = await firstAttemptAt(await refusingUrl());
    expect(attempt.error).toMatch(/^connect_refused: /);
    expect(attempt).toMatchObject({ status: null, response: null });
  });

  it('says so when the name is unknown', async () => {
    const { attempt } = await firstAttemptAt('http://no-such-host.invalid/hook');
    expect(attempt.error).toMatch(/^dns_/);
  });

  it.each([
    [404, 'http_4xx'],
    [500, 'http_5xx'],
  ])('with status %d is %s, and keeps the answer', async (status, error) => {
    const receiver = await startAnswering({ status, body: 'Sorry – nicht heute' });
    const { attempt } = await firstAttemptAt(receiver.url);
    expect(attempt).toMatchObject({ status, error, response: 'Sorry – nicht heute' });
    await receiver.close();
  });
});

describe('the answer', () => {
  it.each([200, 500])('with status %d is kept up to 4 KiB', async (status) => {
    const receiver = await startAnswering({ status, body: `start${'é'.repeat(20_000)}` });
    const { attempt } = await firstAttemptAt(receiver.url);
    const kept = attempt.response ?? '';
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(4000);
    expect(kept).toMatch(/^starté+$/);
    await receiver.close();
  });

  it.each<[string, () => Promise<Receiver>]>([
    ['an endless body', startEndlessBody],
    ['a body that drips', startDrippingBody],
    ['a gzip bomb', startGzipBomb],
  ])('is a success by its status line, also with %s', async (_name, start) => {
    const receiver = await start();
    const { delivery, attempt } = await firstAttemptAt(receiver.url);
    expect(delivery.state).toBe('delivered');
    expect(attempt).toMatchObject({ status: 200, error: null });
    expect(Buffer.byteLength(attempt.response ?? '')).toBeLessThanOrEqual(3 * 4096);
    await receiver.close();
  });

  it('with bytes that are no text can still be read', async () => {
    const receiver = await startAnswering({ status: 500, body: Buffer.from([0xff, 0x00, 0xfe, 0x41, 0x0a]) });
    const { attempt } = await firstAttemptAt(receiver.url);
    expect(attempt.response).toContain('A');
    await receiver.close();
  });
});

describe('GET /api/v1/deliveries/{id}', () => {
  it('tells all about a delivery', async () => {
    const receiver = await startAnswering({ status: 500, body: 'no' });
    const { id, formId, projectId } = await firstAttemptAt(receiver.url);
    const delivery = await deliveryBecomes(api, id, isWaiting);
    const { status, body } = await api.get(`/api/v1/deliveries/${delivery.id}`);
    expect(status).toBe(200);
    expectFields(body, [
      ...fields.delivery,
      'submission_id',
      'form_id',
      'project_id',
      'in_flight',
      'created_at',
    ]);
    expect(body).toMatchObject({
      id: delivery.id,
      submission_id: id,
      form_id: formId,
      project_id: projectId,
      in_flight: false,
      target: 'form',
      url: receiver.url,
      state: 'pending',
      next_attempt_at: delivery.next_attempt_at,
    });
    expect(body.id).toMatch(uuid);
    expect(body.created_at).toBe((await api.get(`/api/v1/submissions/${id}`)).body.created_at);
    expect(body.attempts).toHaveLength(1);
    const [attempt] = body.attempts;
    expectFields(attempt, [...fields.attempt, 'remote_address', 'timings']);
    expect(attempt).toMatchObject({ ...delivery.attempts[0] });
    expect(attempt.remote_address).toBe('127.0.0.1');
    expectFields(attempt.timings, ['dns_ms', 'connect_ms', 'first_byte_ms']);
    expect(attempt.timings.connect_ms).toBeGreaterThanOrEqual(0);
    expect(attempt.timings.first_byte_ms).toBeGreaterThanOrEqual(0);
    // Each is rounded separately.
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(attempt.timings.first_byte_ms - 1);
    await receiver.close();
  });

  it('is in flight while it is sent, and then has no next attempt', async () => {
    const receiver = await startHanging();
    const made = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const id = await submit(made.endpoint);
    await becomes(
      () => receiver.requests.length,
      (count) => count === 1,
    );
    const [seen] = await deliveriesOf(api, id);
    const { body } = await api.get(`/api/v1/deliveries/${seen?.id}`);
    if (body.attempts.length === 0) {
      expect(body).toMatchObject({ in_flight: true, state: 'pending', next_attempt_at: null });
    }
    await deliveryBecomes(api, id, hasAttempts(1));
    const after = (await api.get(`/api/v1/deliveries/${seen?.id}`)).body;
    expect(after).toMatchObject({ in_flight: false, state: 'pending' });
    expect(after.next_attempt_at).toMatch(instant);
    await receiver.close();
  });

  it('returns 404 to outsiders and for unknown ids', async () => {
    const { delivery } = await firstAttemptAt(await refusingUrl());
    const outsider = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    const missing = [
      await outsider.get(`/api/v1/deliveries/${delivery.id}`),
      await api.get(`/api/v1/deliveries/${unknownId}`),
      await api.get('/api/v1/deliveries/nonsense'),
    ];
    for (const answer of missing) {
      expect([answer.status, answer.body]).toEqual([
        404,
        { error: 'Delivery not found', code: 'delivery_not_found' },
      ]);
    }
  });
});

it('DELIVERY_LOG_RETENTION removes attempts, never deliveries', async () => {
  const brief = await startHookServer({ DELIVERY_LOG_RETENTION: '1 s' });
  const receiver = await startAnswering();
  const made = await makeForm(brief.url, { form: { webhook_url: receiver.url } });
  const owner = client(brief.url);
  const id = await submit(made.endpoint);
  await deliveryBecomes(owner, id, hasState('delivered'));
  const delivery = await deliveryBecomes(owner, id, ({ attempts }) => attempts.length === 0);
  expect(delivery).toMatchObject({ state: 'delivered', next_attempt_at: null });
  // The number continues: the receiver must never see one twice.
  expect((await owner.post(`/api/v1/submissions/${id}/retry-webhook`)).status).toBe(202);
  await becomes(
    () => receiver.requests,
    (all) => all.length === 2,
  );
  expect(receiver.requests.map(({ headers }) => headers.get('x-webhook-attempt'))).toEqual(['1', '2']);
  await receiver.close();
  await brief.dispose();
});
