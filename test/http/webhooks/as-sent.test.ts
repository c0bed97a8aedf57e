/** An attempt as it was sent, and its response: exact, bounded, and without secrets. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, makeForm } from '../../support/client.js';
import { expectFields, fields } from '../../support/contract.js';
import { changeStored } from '../../support/engine.js';
import { type ReceivedRequest, type Receiver, refusingUrl, startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { deliveryBecomes, hasAttempts, hasState, startHookServer, submit } from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '600,600,600,600' });
  api = client(server.url);
});
afterAll(() => server.dispose());

const attemptAt = (deliveryId: string, number: number | string, who = api) =>
  who.get(`/api/v1/deliveries/${deliveryId}/attempts/${number}`);

/** Headers that the connection adds: they say nothing about the submission. */
const ofConnection = ['host', 'connection', 'content-length', 'accept-encoding'];
const sentHeaders = ({ headers }: ReceivedRequest) =>
  Object.fromEntries([...headers].filter(([name]) => !ofConnection.includes(name)));

async function delivered(receiver: Receiver, data: Record<string, unknown> = { name: 'Ada' }) {
  const { endpoint, projectId, formId } = await makeForm(server.url, { form: { webhook_url: receiver.url } });
  const id = await submit(endpoint, data);
  const delivery = await deliveryBecomes(api, id, hasState('delivered'));
  return { id, delivery, projectId, formId };
}

describe('GET /api/v1/deliveries/{id}/attempts/{number}', () => {
  it('gives the request byte for byte and the response with its headers, also after the secret was rotated', async () => {
    const receiver = await startAnswering({
      status: 201,
      headers: { 'x-request': 'r-1', 'content-type': 'text/plain' },
      body: 'taken',
    });
    const { delivery, projectId } = await delivered(receiver, { name: 'Ädä "\'\n\u2028', price: 1.5e300 });
    expect((await api.post(`/api/v1/projects/${projectId}/webhook-secret`)).status).toBe(200);
    const { status, body } = await attemptAt(delivery.id, 1);
    expect(status).toBe(200);
    expectFields(body, [...fields.attempt, 'remote_address', 'timings', 'request', 'response_headers']);
    expectFields(body.request, ['method', 'url', 'headers', 'body', 'is_body_cut']);
    const [seen] = receiver.requests;
    if (!seen) throw new Error('nothing arrived');
    expect(body).toMatchObject({
      ...delivery.attempts[0],
      request: { method: 'POST', url: receiver.url, body: seen.body.toString(), is_body_cut: false },
      response: 'taken',
    });
    expect(body.request.headers).toEqual(sentHeaders(seen));
    expect(body.request.headers['webhook-signature']).toMatch(/^v1,/);
    expect(body.response_headers).toMatchObject({ 'x-request': 'r-1', 'content-type': 'text/plain' });
    await receiver.close();
  });

  it('tells each attempt apart', async () => {
    const receiver = await startAnswering({ status: 200 });
    const { id, delivery } = await delivered(receiver);
    expect((await api.post(`/api/v1/submissions/${id}/retry-webhook`)).status).toBe(202);
    await deliveryBecomes(api, id, hasAttempts(2));
    const numbers = await Promise.all([1, 2].map((number) => attemptAt(delivery.id, number)));
    expect(numbers.map(({ body }) => [body.number, body.request.headers['x-webhook-attempt']])).toEqual([
      [1, '1'],
      [2, '2'],
    ]);
    await receiver.close();
  });

  it('has the request of an attempt that never got through, and no response', async () => {
    const url = await refusingUrl();
    const { endpoint } = await makeForm(server.url, { form: { webhook_url: url } });
    const delivery = await deliveryBecomes(api, await submit(endpoint), hasAttempts(1));
    const { body } = await attemptAt(delivery.id, 1);
    expect(body).toMatchObject({ status: null, request: { method: 'POST', url }, response_headers: null });
  });

  it('leaves out response headers beyond 2 KiB', async () => {
    const receiver = await startAnswering({ headers: { 'x-long': 'x'.repeat(3_000), 'x-short': 'y' } });
    const { delivery } = await delivered(receiver);
    const { response_headers } = (await attemptAt(delivery.id, 1)).body;
    expect(response_headers).toMatchObject({ 'x-short': 'y' });
    expect(response_headers).not.toHaveProperty('x-long');
    await receiver.close();
  });

  it('masks the secrets of the destination, also where the endpoint repeats them in a header', async () => {
    const credential = 'Bearer a-very-secret-token';
    const receiver = await startAnswering({ headers: { 'x-echo': `you sent ${credential}` } });
    const { endpoint, formId } = await makeForm(server.url);
    const made = await api.post(`/api/v1/forms/${formId}/destinations`, {
      kind: 'webhook',
      config: { url: receiver.url, method: 'PUT', headers: { Authorization: credential, 'X-Team': 'blue' } },
    });
    expect(made.status).toBe(201);
    const delivery = await deliveryBecomes(api, await submit(endpoint), hasState('delivered'));
    const answer = await attemptAt(delivery.id, 1);
    expect(answer.text).not.toContain('a-very-secret-token');
    expect(answer.body.request).toMatchObject({
      method: 'PUT',
      headers: { authorization: '•••', 'x-team': 'blue' },
    });
    expect(answer.body.response_headers['x-echo']).toBe('you sent •••');
    await receiver.close();
  });

  it('is null where an earlier release made the attempt', async () => {
    const receiver = await startAnswering({});
    const { delivery } = await delivered(receiver);
    await changeStored(
      server.dataDir,
      `UPDATE delivery_attempts SET request = NULL, response_headers = NULL WHERE delivery_id = '${delivery.id}'`,
    );
    expect((await attemptAt(delivery.id, 1)).body).toMatchObject({ request: null, response_headers: null });
    await receiver.close();
  });

  it('responds 404 for other numbers, unknown deliveries and outsiders', async () => {
    const receiver = await startAnswering({});
    const { delivery } = await delivered(receiver);
    const outsider = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    for (const number of [2, 0, '01', '1.0', 'x', '1e0']) {
      const { status, body } = await attemptAt(delivery.id, number);
      expect([status, body]).toEqual([404, { error: 'Attempt not found', code: 'attempt_not_found' }]);
    }
    for (const answer of [await attemptAt(delivery.id, 1, outsider), await attemptAt('nonsense', 1)])
      expect([answer.status, answer.body.code]).toEqual([404, 'delivery_not_found']);
    await receiver.close();
  });
});
