/** What happens to waiting deliveries when their owner changes or deletes what they belong to. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, client, makeForm } from '../../support/client.js';
import { startTimeServer, type TimeServer } from '../../support/clock.js';
import {
  becomes,
  deliveriesOf,
  deliveryBecomes,
  hasAttempts,
  hasState,
  isWaiting,
  signatureOf,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

let server: TimeServer;
let api: Client;
let waker: { readonly endpoint: string; readonly receiver: TurningReceiver };
beforeAll(async () => {
  // A retry is made when the clock is set forward, and not before.
  server = await startTimeServer(700_000, { env: { WEBHOOK_RETRY_DELAYS: '600,600,600,600' } });
  api = client(server.url);
  const receiver = await startTurning({ status: 200 });
  const { endpoint } = await makeForm(server.url, { form: { webhook_url: receiver.url } });
  waker = { receiver, endpoint };
});
afterAll(async () => {
  await server.dispose();
  await waker.receiver.close();
});

/** Sets the clock forward. A delivery to another receiver wakes the dispatcher, which would otherwise check only every 2 seconds. */
async function step(): Promise<void> {
  await server.step();
  await submit(waker.endpoint);
}

/** A submission whose first attempt failed and whose second waits for the clock. */
async function waiting(target: 'form' | 'project' = 'form') {
  const receiver = await startTurning({ status: 500 });
  const made = await makeForm(server.url, { [target]: { webhook_url: receiver.url } });
  const id = await submit(made.endpoint);
  const delivery = await deliveryBecomes(api, id, isWaiting);
  return { ...made, receiver, id, delivery };
}

/** Makes everything that waited due. A delivery that began to wait later was sent again, so the others would have been, too. */
async function afterTheNextRetry(): Promise<void> {
  const later = await waiting();
  await step();
  await becomes(
    () => later.receiver.requests.length,
    (count) => count >= 2,
  );
  await later.receiver.close();
}

it.each(['form', 'project'] as const)(
  'the URL of the %s is removed: cancelled, and it says why',
  async (target) => {
    const { receiver, id, formId, projectId } = await waiting(target);
    const path = target === 'form' ? `/api/v1/forms/${formId}` : `/api/v1/projects/${projectId}`;
    expect((await api.patch(path, { webhook_url: null })).status).toBe(200);
    await step();
    const failed = await deliveryBecomes(api, id, hasState('failed'));
    expect(failed.next_attempt_at).toBeNull();
    expect(failed.attempts).toHaveLength(2);
    expect(failed.attempts[1]).toMatchObject({
      status: null,
      error: 'cancelled: the webhook URL was removed',
    });
    expect(receiver.requests).toHaveLength(1);
    await receiver.close();
  },
);

it('the URL is removed from one of two targets: the other goes on', async () => {
  const [atForm, atProject] = [await startTurning({ status: 500 }), await startTurning({ status: 500 })];
  const made = await makeForm(server.url, {
    project: { webhook_url: atProject.url },
    form: { webhook_url: atForm.url },
  });
  const id = await submit(made.endpoint);
  await becomes(
    () => deliveriesOf(api, id),
    (all) => all.every(isWaiting),
  );
  await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: null });
  atProject.turnTo({ status: 200 });
  await step();
  const ended = await becomes(
    () => deliveriesOf(api, id),
    (all) => all.every(({ state }) => state !== 'pending'),
  );
  expect(ended.map(({ target, state }) => [target, state])).toEqual([
    ['form', 'failed'],
    ['project', 'delivered'],
  ]);
  expect([atForm.requests.length, atProject.requests.length]).toEqual([1, 2]);
  await Promise.all([atForm.close(), atProject.close()]);
});

it('both name one URL and the form’s is removed: the project still wants it', async () => {
  const receiver = await startTurning({ status: 500 });
  const both = { webhook_url: receiver.url };
  const made = await makeForm(server.url, { project: both, form: both });
  const id = await submit(made.endpoint);
  await deliveryBecomes(api, id, isWaiting);
  await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: null });
  receiver.turnTo({ status: 200 });
  await step();
  await deliveryBecomes(api, id, hasState('delivered'));
  expect(receiver.requests).toHaveLength(2);
  await receiver.close();
});

it.each(['form', 'project'] as const)('the %s is deleted: nothing more is sent', async (noun) => {
  const { receiver, id, delivery, formId, projectId } = await waiting();
  const path = noun === 'form' ? `/api/v1/forms/${formId}` : `/api/v1/projects/${projectId}`;
  expect((await api.delete(path)).status).toBe(204);
  expect((await api.get(`/api/v1/submissions/${id}/deliveries`)).status).toBe(404);
  expect((await api.get(`/api/v1/deliveries/${delivery.id}`)).status).toBe(404);
  expect((await api.post(`/api/v1/submissions/${id}/retry-webhook`)).status).toBe(404);
  await afterTheNextRetry();
  expect(receiver.requests).toHaveLength(1);
  await receiver.close();
});

it('the submission is deleted: nothing more is sent', async () => {
  const { receiver, id, delivery } = await waiting();
  expect((await api.delete(`/api/v1/submissions/${id}`)).status).toBe(204);
  expect((await api.get(`/api/v1/deliveries/${delivery.id}`)).status).toBe(404);
  await afterTheNextRetry();
  expect(receiver.requests).toHaveLength(1);
  await receiver.close();
});

it.each(['form', 'project'] as const)(
  'deleted while it is being sent to the receiver of the %s',
  async (noun) => {
    const receiver = await startTurning('hang');
    const made = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    await submit(made.endpoint);
    await becomes(
      () => receiver.requests.length,
      (count) => count === 1,
    );
    const path = noun === 'form' ? `/api/v1/forms/${made.formId}` : `/api/v1/projects/${made.projectId}`;
    expect((await api.delete(path)).status).toBe(204);
    receiver.release({ status: 500 });
    await afterTheNextRetry();
    expect(receiver.requests).toHaveLength(1);
    expect((await api.get('/api/v1/projects')).status).toBe(200);
    await receiver.close();
  },
);

it.each(['form', 'project'] as const)(
  'the %s is made inactive: what was accepted still arrives',
  async (noun) => {
    const { receiver, id, formId, projectId } = await waiting();
    const path = noun === 'form' ? `/api/v1/forms/${formId}` : `/api/v1/projects/${projectId}`;
    expect((await api.patch(path, { is_active: false })).status).toBe(200);
    receiver.turnTo({ status: 200 });
    await step();
    await deliveryBecomes(api, id, hasState('delivered'));
    expect(receiver.requests).toHaveLength(2);
    await receiver.close();
  },
);

it('the URL is changed: what was waiting goes to the new one', async () => {
  const { receiver, id, formId } = await waiting();
  const other = await startTurning();
  await api.patch(`/api/v1/forms/${formId}`, { webhook_url: other.url });
  await step();
  const tried = await deliveryBecomes(api, id, hasAttempts(2));
  expect(tried).toMatchObject({ state: 'delivered', url: other.url });
  expect([receiver.requests.length, other.requests.length]).toEqual([1, 1]);
  await Promise.all([receiver.close(), other.close()]);
});

it('the secret is replaced: what was waiting is signed with the one of now', async () => {
  const { receiver, id, projectId } = await waiting();
  expect((await api.post(`/api/v1/projects/${projectId}/webhook-secret`)).status).toBe(200);
  const { webhook_secret: secret } = (await api.get(`/api/v1/projects/${projectId}`)).body;
  receiver.turnTo({ status: 200 });
  await step();
  await deliveryBecomes(api, id, hasState('delivered'));
  const [before, now] = receiver.requests;
  if (!before || !now) throw new Error('an attempt is missing');
  expect(now.headers.get('x-webhook-signature')).toBe(signatureOf(now.body, secret));
  expect(before.headers.get('x-webhook-signature')).not.toBe(signatureOf(before.body, secret));
  expect(now.body.equals(before.body)).toBe(true);
  await receiver.close();
});
