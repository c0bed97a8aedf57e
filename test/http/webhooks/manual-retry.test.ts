/** "Retry webhook": decisions 6. Allowed in every state but in flight; one attempt, and no automatic ones after it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFields, fields, instant, unknownId } from '../../support/contract.js';
import { startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import {
  becomes,
  deliveriesOf,
  deliveryBecomes,
  hasState,
  isWaiting,
  signatureOf,
  startHookServer,
  startTurning,
  submit,
} from '../../support/webhooks.js';

let server: RunningServer;
let patient: RunningServer;
let api: Client;
/** For a server whose automatic retries are due long after the test. */
let patientApi: Client;
beforeAll(async () => {
  [server, patient] = await Promise.all([
    startHookServer({ WEBHOOK_RETRY_DELAYS: '0.02,0.02,0.02,0.02' }),
    startHookServer({ WEBHOOK_RETRY_DELAYS: '600,600,600,600' }),
  ]);
  api = client(server.url);
  patientApi = client(patient.url);
});
afterAll(() => Promise.all([server.dispose(), patient.dispose()]));

const retry = (owner: Client, id: string) => owner.post(`/api/v1/submissions/${id}/retry-webhook`);

const secretOf = async (owner: Client, { projectId }: MadeForm): Promise<string> =>
  (await owner.get(`/api/v1/projects/${projectId}`)).body.webhook_secret;

describe('a delivery that failed', () => {
  it('is sent once more, with the next number, and is delivered', async () => {
    const receiver = await startTurning({ status: 500 });
    const made = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const id = await submit(made.endpoint);
    await deliveryBecomes(api, id, hasState('failed'));
    receiver.turnTo({ status: 201, body: 'thanks' });
    const answer = await retry(api, id);
    expect(answer.status, answer.text).toBe(202);
    expectFields(answer.body, ['data', 'skipped']);
    expect(answer.body.data).toHaveLength(1);
    expectFields(answer.body.data[0], fields.delivery);
    const delivery = await deliveryBecomes(api, id, hasState('delivered'));
    expect(delivery.next_attempt_at).toBeNull();
    expect(delivery.attempts.map(({ number, trigger }) => [number, trigger])).toEqual([
      [1, 'auto'],
      [2, 'auto'],
      [3, 'auto'],
      [4, 'auto'],
      [5, 'auto'],
      [6, 'manual'],
    ]);
    expect(delivery.attempts[5]).toMatchObject({ status: 201, response: 'thanks', error: null });
    const last = receiver.requests.at(-1);
    expect(last?.headers.get('x-webhook-attempt')).toBe('6');
    expect(last?.body.equals(receiver.requests[0]?.body ?? Buffer.alloc(0))).toBe(true);
    await receiver.close();
  });

  it('stays failed when it fails again, with no automatic attempt after it', async () => {
    const receiver = await startTurning({ status: 500 });
    const made = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const id = await submit(made.endpoint);
    await deliveryBecomes(api, id, hasState('failed'));
    for (const number of [6, 7]) {
      expect((await retry(api, id)).status).toBe(202);
      const delivery = await deliveryBecomes(
        api,
        id,
        (seen) => seen.state === 'failed' && seen.attempts.length === number,
      );
      expect(delivery.next_attempt_at).toBeNull();
    }
    // By the time another submission has made all of its five attempts, an automatic one of the first would have been made.
    const other = await submit(made.endpoint);
    await deliveryBecomes(api, other, hasState('failed'));
    const numbers = receiver.requests
      .filter(({ headers }) => headers.get('x-submission-id') === id)
      .map(({ headers }) => headers.get('x-webhook-attempt'));
    expect(numbers).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    await receiver.close();
  });
});

it('a delivered one is sent again, and a failure of that makes it failed', async () => {
  const receiver = await startTurning({ status: 200 });
  const made = await makeForm(patient.url, { form: { webhook_url: receiver.url } });
  const id = await submit(made.endpoint);
  await deliveryBecomes(patientApi, id, hasState('delivered'));
  expect((await retry(patientApi, id)).status).toBe(202);
  const again = await deliveryBecomes(
    patientApi,
    id,
    (seen) => seen.state === 'delivered' && seen.attempts.length === 2,
  );
  expect(again.attempts[1]).toMatchObject({ number: 2, trigger: 'manual', status: 200 });
  receiver.turnTo({ status: 503 });
  expect((await retry(patientApi, id)).status).toBe(202);
  const failed = await deliveryBecomes(patientApi, id, hasState('failed'));
  expect(failed.attempts[2]).toMatchObject({ number: 3, trigger: 'manual', status: 503 });
  expect(failed.next_attempt_at).toBeNull();
  await receiver.close();
});

describe('a delivery that waits for its next automatic attempt', () => {
  it('is sent at once', async () => {
    const receiver = await startTurning({ status: 500 });
    const made = await makeForm(patient.url, { form: { webhook_url: receiver.url } });
    const id = await submit(made.endpoint);
    await deliveryBecomes(patientApi, id, isWaiting);
    receiver.turnTo({ status: 200 });
    const answer = await retry(patientApi, id);
    expect(answer.status).toBe(202);
    expect(answer.body.data[0].state).toBe('pending');
    const delivery = await deliveryBecomes(patientApi, id, hasState('delivered'));
    expect(delivery.attempts.map(({ number, trigger }) => [number, trigger])).toEqual([
      [1, 'auto'],
      [2, 'manual'],
    ]);
    await receiver.close();
  });

  it('keeps its schedule when that fails', async () => {
    const receiver = await startTurning({ status: 500 });
    const made = await makeForm(patient.url, { form: { webhook_url: receiver.url } });
    const id = await submit(made.endpoint);
    const waiting = await deliveryBecomes(patientApi, id, isWaiting);
    expect(waiting.next_attempt_at).toMatch(instant);
    expect((await retry(patientApi, id)).status).toBe(202);
    const again = await deliveryBecomes(patientApi, id, (one) => one.attempts.length === 2 && isWaiting(one));
    expect(again).toMatchObject({ state: 'pending', next_attempt_at: waiting.next_attempt_at });
    expect(again.attempts.map(({ trigger }) => trigger)).toEqual(['auto', 'manual']);
    await receiver.close();
  });
});

it('goes to the address that is set now, signed with the secret of now', async () => {
  const before = await startTurning({ status: 500 });
  const now = await startTurning({ status: 200 });
  const made = await makeForm(server.url, { form: { webhook_url: before.url } });
  const id = await submit(made.endpoint);
  await deliveryBecomes(api, id, hasState('failed'));
  const oldSecret = await secretOf(api, made);
  await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: now.url });
  expect((await api.post(`/api/v1/projects/${made.projectId}/webhook-secret`)).status).toBe(200);
  const answer = await retry(api, id);
  expect(answer.status).toBe(202);
  expect(answer.body.data[0].url).toBe(now.url);
  const delivery = await deliveryBecomes(api, id, hasState('delivered'));
  expect(delivery.url).toBe(now.url);
  expect(before.requests).toHaveLength(5);
  expect(now.requests).toHaveLength(1);
  const [seen] = now.requests;
  if (!seen) throw new Error('nothing arrived');
  const newSecret = await secretOf(api, made);
  expect(newSecret).not.toBe(oldSecret);
  expect(seen.headers.get('x-webhook-signature')).toBe(signatureOf(seen.body, newSecret));
  await Promise.all([before.close(), now.close()]);
});

it('in flight returns 409 and disturbs nothing', async () => {
  const receiver = await startTurning('hang');
  const made = await makeForm(patient.url, { form: { webhook_url: receiver.url } });
  const id = await submit(made.endpoint);
  await becomes(
    () => receiver.requests.length,
    (count) => count === 1,
  );
  const answer = await retry(patientApi, id);
  expect([answer.status, answer.body]).toEqual([
    409,
    { error: 'The webhook is being sent at this moment', code: 'delivery_in_flight' },
  ]);
  receiver.release();
  const delivery = await deliveryBecomes(patientApi, id, hasState('delivered'));
  expect(delivery.attempts.map(({ number, trigger }) => [number, trigger])).toEqual([[1, 'auto']]);
  await receiver.close();
});

it('a manual attempt in flight cannot be asked for twice', async () => {
  const receiver = await startTurning({ status: 500 });
  const made = await makeForm(patient.url, { form: { webhook_url: receiver.url } });
  const id = await submit(made.endpoint);
  await deliveryBecomes(patientApi, id, isWaiting);
  const held: (() => void)[] = [];
  receiver.turnTo(
    (socket) => void held.push(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')),
  );
  expect((await retry(patientApi, id)).status).toBe(202);
  await becomes(
    () => receiver.requests.length,
    (count) => count === 2,
  );
  expect((await retry(patientApi, id)).status).toBe(409);
  for (const release of held) release();
  const delivery = await deliveryBecomes(patientApi, id, hasState('delivered'));
  expect(delivery.attempts.map(({ number }) => number)).toEqual([1, 2]);
  expect(receiver.requests).toHaveLength(2);
  await receiver.close();
});

describe('of two targets', () => {
  it('only the one that did not arrive is sent again', async () => {
    const good = await startTurning();
    const bad = await startTurning({ status: 500 });
    const made = await makeForm(server.url, {
      project: { webhook_url: bad.url },
      form: { webhook_url: good.url },
    });
    const id = await submit(made.endpoint);
    await becomes(
      () => deliveriesOf(api, id),
      (all) => all.some(hasState('failed')) && all.some(hasState('delivered')),
    );
    bad.turnTo({ status: 200 });
    const answer = await retry(api, id);
    expect(answer.status).toBe(202);
    expect(answer.body.data).toHaveLength(2);
    await becomes(
      () => deliveriesOf(api, id),
      (all) => all.every(hasState('delivered')),
    );
    expect([good.requests.length, bad.requests.length]).toEqual([1, 6]);
    // Now both have arrived. Retried again, both are sent.
    expect((await retry(api, id)).status).toBe(202);
    await becomes(
      () => [good.requests.length, bad.requests.length].join(),
      (counts) => counts === '2,7',
    );
    await Promise.all([good.close(), bad.close()]);
  });

  it('one in flight refuses both: nothing is half done', async () => {
    const hanging = await startTurning('hang');
    const bad = await startTurning({ status: 500 });
    const made = await makeForm(patient.url, {
      project: { webhook_url: bad.url },
      form: { webhook_url: hanging.url },
    });
    const id = await submit(made.endpoint);
    await becomes(
      () => deliveriesOf(patientApi, id),
      (all) => hanging.requests.length === 1 && all.some(isWaiting),
    );
    expect((await retry(patientApi, id)).status).toBe(409);
    const waiting = (await deliveriesOf(patientApi, id)).find(({ target }) => target === 'project');
    expect(waiting?.attempts).toHaveLength(1);
    expect(Date.parse(waiting?.next_attempt_at ?? '')).toBeGreaterThan(Date.now() + 60_000);
    hanging.release();
    await Promise.all([hanging.close(), bad.close()]);
  });
});

describe('a submission that came before there was an address', () => {
  it('is sent to the one that is set now', async () => {
    const receiver = await startTurning();
    const made = await makeForm(patient.url);
    const id = await submit(made.endpoint, { name: 'Early' });
    expect(await deliveriesOf(patientApi, id)).toEqual([]);
    await patientApi.patch(`/api/v1/forms/${made.formId}`, { webhook_url: receiver.url });
    const answer = await retry(patientApi, id);
    expect(answer.status, answer.text).toBe(202);
    expect(answer.body.data).toHaveLength(1);
    const delivery = await deliveryBecomes(patientApi, id, hasState('delivered'));
    expect(delivery.attempts.map(({ number, trigger }) => [number, trigger])).toEqual([[1, 'manual']]);
    const [seen] = receiver.requests;
    const payload = JSON.parse(seen?.body.toString() ?? '');
    expect(payload).toMatchObject({
      event: 'submission.created',
      form: { id: made.formId },
      submission: { id, data: { name: 'Early' } },
    });
    expect(seen?.headers.get('x-webhook-attempt')).toBe('1');
    await receiver.close();
  });

  it('returns 409 without any address', async () => {
    const made = await makeForm(patient.url);
    const id = await submit(made.endpoint);
    const answer = await retry(patientApi, id);
    expect([answer.status, answer.body]).toEqual([
      409,
      { error: 'No webhook URL is configured', code: 'no_webhook_url' },
    ]);
    expect(await deliveriesOf(patientApi, id)).toEqual([]);
  });

  it('asked for twice at once is sent once', async () => {
    const receiver = await startTurning();
    const made = await makeForm(patient.url);
    const id = await submit(made.endpoint);
    await patientApi.patch(`/api/v1/forms/${made.formId}`, { webhook_url: receiver.url });
    await Promise.all(Array.from({ length: 8 }, () => retry(patientApi, id)));
    const deliveries = await becomes(
      () => deliveriesOf(patientApi, id),
      (all) => all.every(hasState('delivered')),
    );
    expect(deliveries).toHaveLength(1);
    await receiver.close();
  });
});

describe('the address was removed', () => {
  it('from a failed delivery: 409', async () => {
    const receiver = await startTurning({ status: 500 });
    const made = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const id = await submit(made.endpoint);
    await deliveryBecomes(api, id, hasState('failed'));
    await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: null });
    expect((await retry(api, id)).status).toBe(409);
    expect(await deliveriesOf(api, id)).toMatchObject([{ state: 'failed', next_attempt_at: null }]);
    await receiver.close();
  });

  it('from the form, while the project names the same one: it is sent there', async () => {
    const receiver = await startTurning({ status: 500 });
    const made = await makeForm(server.url, {
      project: { webhook_url: receiver.url },
      form: { webhook_url: receiver.url },
    });
    const id = await submit(made.endpoint);
    await deliveryBecomes(api, id, hasState('failed'));
    await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: null });
    receiver.turnTo({ status: 200 });
    const answer = await retry(api, id);
    expect(answer.status, answer.text).toBe(202);
    await becomes(
      () => deliveriesOf(api, id),
      (all) => all.some(hasState('delivered')),
    );
    await receiver.close();
  });
});

describe('who may', () => {
  it('returns 404 to other accounts and for unknown submissions', async () => {
    const receiver = await startAnswering();
    const made = await makeForm(patient.url, { form: { webhook_url: receiver.url } });
    const id = await submit(made.endpoint);
    await deliveryBecomes(patientApi, id, hasState('delivered'));
    const outsider = client(patient.url, (await makeAccount(patient, 'enterprise')).api_key);
    const answers = [
      await retry(outsider, id),
      await retry(patientApi, unknownId),
      await outsider.get(`/api/v1/submissions/${id}/deliveries`),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([
        404,
        { error: 'Submission not found', code: 'submission_not_found' },
      ]);
    }
    expect((await retry(client(patient.url, null), id)).status).toBe(401);
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  });

  it('returns 403 to a key that only reads', async () => {
    const key = await patientApi.post('/api/v1/api-keys', { name: 'Reader', scope: 'read' });
    expect(key.status, key.text).toBe(201);
    const reader = client(patient.url, key.body.api_key ?? key.body.key);
    const made = await makeForm(patient.url);
    const id = await submit(made.endpoint);
    expect((await reader.get(`/api/v1/submissions/${id}/deliveries`)).status).toBe(200);
    const writes = [
      await retry(reader, id),
      await reader.post('/api/v1/deliveries/replay', { form_id: made.formId, dry_run: true }),
      await reader.post(`/api/v1/forms/${made.formId}/webhook-test`, {}),
      await reader.post(`/api/v1/projects/${made.projectId}/webhook-test`, {}),
    ];
    expect(writes.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });
});
