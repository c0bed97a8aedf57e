/** When a webhook is sent again, and when no longer: interface sections 3 and 6, decisions 6. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm } from '../../support/client.js';
import { expectFields, fields, instant } from '../../support/contract.js';
import {
  type Receiver,
  refusingUrl,
  startAnswering,
  startClosing,
  startHanging,
  startRedirecting,
} from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import {
  becomes,
  deliveriesOf,
  deliveryBecomes,
  hasAttempts,
  hasState,
  isWaiting,
  type SeenDelivery,
  shortDelaysMs,
  startHookServer,
  startTurning,
  submit,
} from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_TIMEOUT: '0.3' });
  api = client(server.url);
});
afterAll(() => server.dispose());

async function submitTo(url: string) {
  const made = await makeForm(server.url, { form: { webhook_url: url } });
  return { ...made, id: await submit(made.endpoint) };
}

/** Waits for later work at the same receiver, so anything that was still to come has come. */
async function nothingMoreThan(endpoint: string, receiver: Receiver, id: string, count: number) {
  const other = await submit(endpoint);
  await becomes(
    () => receiver.requests,
    (all) => all.some(({ headers }) => headers.get('x-submission-id') === other),
  );
  expect(receiver.requests.filter(({ headers }) => headers.get('x-submission-id') === id)).toHaveLength(
    count,
  );
}

const endOf = ({ at, duration_ms }: SeenDelivery['attempts'][number]): number => Date.parse(at) + duration_ms;

describe('a receiver that never takes it', () => {
  let receiver: Awaited<ReturnType<typeof startTurning>>;
  let failed: SeenDelivery;
  let made: Awaited<ReturnType<typeof submitTo>>;
  beforeAll(async () => {
    receiver = await startTurning({ status: 500, body: 'no' });
    made = await submitTo(receiver.url);
    failed = await deliveryBecomes(api, made.id, hasState('failed'));
  });
  afterAll(() => receiver.close());

  it('is tried five times, numbered, and then no more', async () => {
    const numbers = receiver.requests.map(({ headers }) => headers.get('x-webhook-attempt'));
    expect(numbers).toEqual(['1', '2', '3', '4', '5']);
    expect(failed.next_attempt_at).toBeNull();
    await nothingMoreThan(made.endpoint, receiver, made.id, 5);
  });

  it('is shown with every attempt, in exactly the documented shape', () => {
    expectFields(failed, fields.delivery);
    expect(failed).toMatchObject({ target: 'form', url: receiver.url, state: 'failed' });
    expect(failed.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    for (const attempt of failed.attempts) {
      expectFields(attempt, fields.attempt);
      expect(attempt).toMatchObject({ trigger: 'auto', status: 500, error: 'http_5xx', response: 'no' });
      expect(attempt.at).toMatch(instant);
      expect(Number.isInteger(attempt.duration_ms)).toBe(true);
    }
  });

  it('is never tried early, and by its own plan at most a tenth late', () => {
    for (const [index, delayMs] of shortDelaysMs.entries()) {
      const [before, after] = [failed.attempts[index], failed.attempts[index + 1]];
      if (!before || !after) throw new Error('an attempt is missing');
      // The end is rounded to a whole millisecond, up or down.
      expect(Date.parse(after.at)).toBeGreaterThanOrEqual(endOf(before) + delayMs - 1);
      expect((receiver.times[index + 1] ?? 0) - (receiver.times[index] ?? 0)).toBeGreaterThanOrEqual(delayMs);
    }
  });
});

it('plans the next attempt from the end of the last one, up to a tenth later', async () => {
  // Long enough to see the plan before it is carried out.
  const patient = await startHookServer({ WEBHOOK_RETRY_DELAYS: '600,600,600,600' });
  const receiver = await startTurning({ status: 503 });
  const owner = client(patient.url);
  const made = await makeForm(patient.url, { form: { webhook_url: receiver.url } });
  for (let round = 0; round < 20; round += 1) {
    const before = Date.now();
    const id = await submit(made.endpoint);
    const { attempts, next_attempt_at: next } = await deliveryBecomes(owner, id, isWaiting);
    const seenAt = Date.now();
    const planned = Date.parse(next ?? '');
    const [attempt] = attempts;
    if (!attempt) throw new Error('no attempt');
    expect(planned).toBeGreaterThanOrEqual(endOf(attempt) + 600_000 - 1);
    expect(planned).toBeGreaterThanOrEqual(before + 600_000);
    expect(planned).toBeLessThanOrEqual(seenAt + 660_000);
  }
  await receiver.close();
  await patient.dispose();
});

it.each([200, 201, 202, 204, 299])('takes %d for a success at once', async (status) => {
  const receiver = await startAnswering({ status, ...(status === 204 ? {} : { body: 'ok' }) });
  const { id, endpoint } = await submitTo(receiver.url);
  const delivery = await deliveryBecomes(api, id, hasState('delivered'));
  expect(delivery.attempts).toEqual([expect.objectContaining({ number: 1, status, error: null })]);
  expect(delivery.next_attempt_at).toBeNull();
  await nothingMoreThan(endpoint, receiver, id, 1);
  await receiver.close();
});

it.each([2, 3, 4, 5])('ends with the success of attempt %d', async (successAt) => {
  const receiver = await startAnswering(({ headers }) => ({
    status: Number(headers.get('x-webhook-attempt')) >= successAt ? 200 : 500,
  }));
  const { id, endpoint } = await submitTo(receiver.url);
  const { attempts } = await deliveryBecomes(api, id, hasState('delivered'));
  expect(attempts.map(({ status }) => status)).toEqual([...Array(successAt - 1).fill(500), 200]);
  await nothingMoreThan(endpoint, receiver, id, successAt);
  await receiver.close();
});

it.each([301, 302, 303, 307, 308, 304, 400, 401, 404, 429, 500, 503])(
  'tries again after %d',
  async (status) => {
    const receiver = await startAnswering({ status });
    const { id } = await submitTo(receiver.url);
    const { attempts } = await deliveryBecomes(api, id, hasAttempts(2));
    const seen = `http_${Math.floor(status / 100)}xx`;
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({ status, trigger: 'auto' });
      if (status < 400) expect(attempt.error).toMatch(/^redirect/);
      else expect(attempt.error).toBe(seen);
    }
    await receiver.close();
  },
);

it('makes no more attempts after 410 Gone, says so, and sends again when asked to', async () => {
  const receiver = await startAnswering(({ headers }) => ({
    status: headers.get('x-webhook-attempt') === '1' ? 500 : 410,
  }));
  const { id, endpoint } = await submitTo(receiver.url);
  const { attempts, next_attempt_at } = await deliveryBecomes(api, id, hasState('failed'));
  expect(next_attempt_at).toBeNull();
  expect(attempts.filter(({ status }) => status === 410)).toEqual([attempts.at(-1)]);
  expect(attempts.at(-1)?.error).toBe('gone: The endpoint responded 410 Gone; no more attempts are made');
  await nothingMoreThan(endpoint, receiver, id, attempts.length);

  expect((await api.post(`/api/v1/submissions/${id}/retry-webhook`)).status).toBe(202);
  const again = await deliveryBecomes(api, id, hasAttempts(attempts.length + 1));
  expect(again.attempts.at(-1)).toMatchObject({ trigger: 'manual' });
  await receiver.close();
});

describe('an endpoint that asks to be left alone for a while', () => {
  it.each([
    ['in seconds', () => '2', () => 2_000],
    [
      'until a time',
      () => new Date(Date.now() + 3_000).toUTCString(),
      (header: string, respondedAt: number) => Date.parse(header) - respondedAt,
    ],
  ])('%s gets its next attempt no earlier', async (_, header, leastMs) => {
    const responses: { readonly at: number; readonly header: string }[] = [];
    const receiver = await startAnswering(({ headers }) => {
      if (headers.get('x-webhook-attempt') !== '1') return { status: 200 };
      responses.push({ at: Date.now(), header: header() });
      return { status: 429, headers: { 'Retry-After': responses[0]?.header ?? '' } };
    });
    const { id } = await submitTo(receiver.url);
    const { attempts } = await deliveryBecomes(api, id, hasState('delivered'));
    expect(attempts.map(({ status }) => status)).toEqual([429, 200]);
    const [response] = responses;
    if (!response) throw new Error('nothing arrived');
    const waitedMs = Date.parse(attempts[1]?.at ?? '') - response.at;
    expect(waitedMs).toBeGreaterThanOrEqual(leastMs(response.header, response.at));
    await receiver.close();
  });

  it.each(['0', '-1', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'never gets it earlier than by its schedule: %s',
    async (retryAfter) => {
      const receiver = await startTurning({ status: 503, headers: { 'Retry-After': retryAfter } });
      const { id } = await submitTo(receiver.url);
      const { attempts } = await deliveryBecomes(api, id, hasAttempts(2));
      const [first, second] = attempts;
      if (!first || !second) throw new Error('an attempt is missing');
      expect(Date.parse(second.at)).toBeGreaterThanOrEqual(endOf(first) + (shortDelaysMs[0] ?? 0) - 1);
      await receiver.close();
    },
  );

  it('is left alone for a day at most', async () => {
    const receiver = await startTurning({ status: 503, headers: { 'Retry-After': '31536000' } });
    const { id } = await submitTo(receiver.url);
    const { attempts, next_attempt_at } = await deliveryBecomes(api, id, isWaiting);
    const [first] = attempts;
    if (!first) throw new Error('no attempt');
    const day = 24 * 60 * 60_000;
    const planned = Date.parse(next_attempt_at ?? '') - Date.parse(first.at);
    expect(planned).toBeGreaterThanOrEqual(day);
    expect(planned).toBeLessThan(day + 60_000);
    await receiver.close();
  });
});

it('never follows a redirect', async () => {
  const second = await startAnswering();
  await Promise.all(
    [301, 302, 303, 307, 308].map(async (status) => {
      const first = await startRedirecting(second.url, status);
      const { id } = await submitTo(first.url);
      await deliveryBecomes(api, id, hasState('failed'));
      expect(first.requests).toHaveLength(5);
      await first.close();
    }),
  );
  expect(second.connections()).toBe(0);
  await second.close();
});

it.each([
  { name: 'hangs', start: startHanging, error: /^timeout: / },
  { name: 'closes without an answer', start: startClosing, error: /^reset: / },
])('tries again when the receiver $name', async ({ start, error }) => {
  const receiver = await start();
  const { id } = await submitTo(receiver.url);
  const { attempts } = await deliveryBecomes(api, id, hasState('failed'));
  expect(attempts).toHaveLength(5);
  for (const attempt of attempts) {
    expect(attempt.error).toMatch(error);
    expect(attempt.status).toBeNull();
  }
  await receiver.close();
});

it('tries again when nobody listens, and succeeds when somebody does', async () => {
  const url = await refusingUrl();
  const { id } = await submitTo(url);
  const { attempts } = await deliveryBecomes(api, id, hasAttempts(1));
  expect(attempts[0]).toMatchObject({ number: 1, status: null, response: null });
  expect(attempts[0]?.error).toMatch(/^connect_refused: 127\.0\.0\.1:\d+ refused the connection/);
  const receiver = await startAnswering({}, { port: Number(new URL(url).port) });
  const delivery = await deliveryBecomes(api, id, hasState('delivered'));
  expect(receiver.requests.map(({ headers }) => headers.get('x-webhook-attempt'))).toEqual([
    String(delivery.attempts.length),
  ]);
  await receiver.close();
});

it('two targets fail and succeed on their own', async () => {
  const good = await startAnswering();
  const bad = await startAnswering({ status: 500 });
  const made = await makeForm(server.url, {
    project: { webhook_url: bad.url },
    form: { webhook_url: good.url },
  });
  const id = await submit(made.endpoint);
  const deliveries = await becomes(
    () => deliveriesOf(api, id),
    (all) => all.some(hasState('failed')),
  );
  expect(deliveries.map(({ target, state }) => [target, state])).toEqual([
    ['form', 'delivered'],
    ['project', 'failed'],
  ]);
  expect(good.requests).toHaveLength(1);
  expect(bad.requests).toHaveLength(5);
  await Promise.all([good.close(), bad.close()]);
});

it('webhook_state follows the deliveries', async () => {
  const receiver = await startTurning('hang');
  const { id, formId, projectId } = await submitTo(receiver.url);
  const found = async () => {
    const states: string[] = [];
    for (const state of ['pending', 'delivered', 'failed']) {
      for (const owner of [`forms/${formId}`, `projects/${projectId}`]) {
        const query = `webhook_state=${state}&include=delivery_state`;
        const { body } = await api.get(`/api/v1/${owner}/submissions?${query}`);
        for (const item of body.data) expect(item.delivery_state).toBe(state);
        if (body.data.some((item: { id: string }) => item.id === id)) states.push(state);
      }
    }
    return states;
  };
  expect(await found()).toEqual(['pending', 'pending']);
  await deliveryBecomes(api, id, hasState('failed'));
  expect(await found()).toEqual(['failed', 'failed']);
  receiver.turnTo({ status: 200 });
  expect((await api.post(`/api/v1/submissions/${id}/retry-webhook`)).status).toBe(202);
  await deliveryBecomes(api, id, hasState('delivered'));
  expect(await found()).toEqual(['delivered', 'delivered']);
  await receiver.close();
});
