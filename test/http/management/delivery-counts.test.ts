/** Delivery counts: each delivery is counted once, all of them are counted, and every place that counts them agrees. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFields, instant, uuid } from '../../support/contract.js';
import type { RunningServer } from '../../support/server.js';
import {
  becomes,
  deliveryBecomes,
  hasState,
  isWaiting,
  startHookServer,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

let server: RunningServer;
let key: string;
let api: Client;
let receiver: TurningReceiver;
beforeAll(async () => {
  // After a failure, the next attempt is due after the test.
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '3600,3600,3600,3600' });
  key = (await makeAccount(server, 'enterprise')).api_key;
  api = client(server.url, key);
  receiver = await startTurning();
});
afterAll(async () => {
  await server.dispose();
  await receiver.close();
});

interface Counts {
  readonly delivered: number;
  readonly waiting: number;
  readonly paused: number;
  readonly failed: number;
}

const none: Counts = { delivered: 0, waiting: 0, paused: 0, failed: 0 };

const statsOf = async (query: string, who = api): Promise<Counts> => {
  const { status, body, text } = await who.get(`/api/v1/stats${query}`);
  expect(status, text).toBe(200);
  const sums = { ...none };
  for (const { deliveries } of body.days) {
    expectFields(deliveries, ['delivered', 'waiting', 'paused', 'failed']);
    for (const state of ['delivered', 'waiting', 'paused', 'failed'] as const)
      sums[state] += deliveries[state];
  }
  return sums;
};

/** The same counts, from the list of deliveries. */
async function listed(path: string): Promise<Counts> {
  const count = async (state: string, isPaused = false) => {
    let found = 0;
    let cursor = '';
    do {
      const { body } = await api.get(`${path}/deliveries?limit=100&state=${state}${cursor}`);
      found += body.data.filter(
        (one: { paused_in: unknown }) => (one.paused_in !== null) === isPaused,
      ).length;
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    return found;
  };
  return {
    delivered: await count('delivered'),
    waiting: await count('pending'),
    paused: await count('pending', true),
    failed: await count('failed'),
  };
}

const newForm = (form: Record<string, unknown> = {}): Promise<MadeForm> =>
  makeForm(server.url, { key, form: { webhook_url: receiver.url, ...form } });

async function delivered(form: MadeForm): Promise<string> {
  receiver.turnTo({});
  const id = await submit(form.endpoint);
  await deliveryBecomes(api, id, hasState('delivered'));
  return id;
}
async function failed(form: MadeForm): Promise<string> {
  receiver.turnTo({ status: 410 });
  const id = await submit(form.endpoint);
  await deliveryBecomes(api, id, hasState('failed'));
  return id;
}
async function waiting(form: MadeForm): Promise<string> {
  receiver.turnTo({ status: 503 });
  const id = await submit(form.endpoint);
  await deliveryBecomes(api, id, isWaiting);
  return id;
}

describe('the deliveries in GET /api/v1/stats', () => {
  it('add up, and agree with the lists of the form and of the project, and over the account', async () => {
    const form = await newForm();
    const { body: made } = await api.post(`/api/v1/projects/${form.projectId}/forms`, {
      name: 'Other',
      webhook_url: receiver.url,
    });
    const other: MadeForm = { ...form, formId: made.id, publicId: made.public_id, endpoint: made.endpoint };
    const before = await statsOf('');
    for (const make of [delivered, delivered, delivered, failed, waiting, waiting]) await make(form);
    for (const make of [delivered, failed, failed]) await make(other);

    const ofForm = { ...none, delivered: 3, waiting: 2, failed: 1 };
    const ofProject = { ...none, delivered: 4, waiting: 2, failed: 3 };
    expect(await statsOf(`?form_id=${form.formId}`)).toEqual(ofForm);
    expect(await listed(`/api/v1/forms/${form.formId}`)).toEqual(ofForm);
    expect(await statsOf(`?project_id=${form.projectId}`)).toEqual(ofProject);
    expect(await listed(`/api/v1/projects/${form.projectId}`)).toEqual(ofProject);
    const after = await statsOf('');
    expect({
      delivered: after.delivered - before.delivered,
      waiting: after.waiting - before.waiting,
      paused: after.paused - before.paused,
      failed: after.failed - before.failed,
    }).toEqual(ofProject);
    const outsider = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    expect(await statsOf('', outsider)).toEqual(none);
  });

  it('counts a delivery once, however often it is sent', async () => {
    const form = await newForm();
    const id = await waiting(form);
    receiver.turnTo({});
    for (const attempts of [2, 3]) {
      await api.post(`/api/v1/submissions/${id}/retry-webhook`);
      await deliveryBecomes(api, id, (one) => one.state === 'delivered' && one.attempts.length === attempts);
    }
    expect(await statsOf(`?form_id=${form.formId}`)).toEqual({ ...none, delivered: 1 });
  });

  it('counts each destination of a submission, and forgets deleted submissions and forms', async () => {
    const form = await newForm();
    await api.patch(`/api/v1/projects/${form.projectId}`, { webhook_url: `${receiver.url}/project` });
    receiver.turnTo({ status: 503 });
    const id = await submit(form.endpoint);
    await becomes(
      () => statsOf(`?form_id=${form.formId}`),
      ({ waiting: count }) => count === 2,
    );
    await api.delete(`/api/v1/submissions/${id}`);
    expect(await statsOf(`?form_id=${form.formId}`)).toEqual(none);
    await submit(form.endpoint);
    expect((await statsOf(`?project_id=${form.projectId}`)).waiting).toBe(2);
    await api.delete(`/api/v1/forms/${form.formId}`);
    expect((await statsOf(`?project_id=${form.projectId}`)).waiting).toBe(0);
  });
});

describe('a delivery whose submission is in spam or trash', () => {
  it('is counted apart from those that wait, wherever they are counted, until it is back', async () => {
    const form = await newForm();
    const ids = [await waiting(form), await waiting(form), await waiting(form)];
    const move = (folder: string, moved: readonly string[]) =>
      api.post('/api/v1/submissions/update', { ids: moved, change: { folder } });
    const agrees = async (counts: Counts) => {
      expect(await statsOf(`?form_id=${form.formId}`)).toEqual(counts);
      expect(await listed(`/api/v1/forms/${form.formId}`)).toEqual(counts);
      expect(await statsOf(`?project_id=${form.projectId}`)).toEqual(counts);
      expect(await listed(`/api/v1/projects/${form.projectId}`)).toEqual(counts);
      const [item] = (await api.get(`/api/v1/forms/${form.formId}/destinations`)).body.data;
      expect(item.status.waiting).toBe(counts.waiting);
    };
    await agrees({ ...none, waiting: 3 });
    await move('trash', ids.slice(0, 1));
    await move('spam', ids.slice(1, 2));
    await agrees({ ...none, waiting: 1, paused: 2 });
    await move('inbox', ids);
    await agrees({ ...none, waiting: 3 });
  });

  it('is not counted in the queue of the instance', async () => {
    const own = await startHookServer({ WEBHOOK_RETRY_DELAYS: '3600,3600,3600,3600' });
    const operator = client(own.url);
    const form = await makeForm(own.url, { form: { webhook_url: receiver.url } });
    receiver.turnTo({ status: 503 });
    const id = await submit(form.endpoint);
    await deliveryBecomes(operator, id, isWaiting);
    const queue = async () => (await operator.get('/api/v1/instance')).body.queue.waiting;
    const move = (folder: string) =>
      operator.post('/api/v1/submissions/update', { ids: [id], change: { folder } });
    expect(await queue()).toBe(1);
    await move('trash');
    expect(await queue()).toBe(0);
    await move('inbox');
    expect(await queue()).toBe(1);
    await own.dispose();
  });
});

describe('a failing destination in GET /api/v1/attention', () => {
  const itemsOf = async (formId: string) =>
    ((await api.get('/api/v1/attention')).body.data as Record<string, unknown>[]).filter(
      (item) => item.form_id === formId,
    );

  it('is named from the first failed attempt on, since when, and with how many deliveries wait', async () => {
    const form = await newForm({ name: 'Orders' });
    expect(await itemsOf(form.formId)).toEqual([]);
    const earliest = Date.now();
    const first = await waiting(form);
    const [item] = await becomes(
      () => itemsOf(form.formId),
      (items) => items.length > 0,
    );
    expect(item).toEqual({
      kind: 'destination_failing',
      form_id: form.formId,
      form_name: 'Orders',
      count: 1,
      detail: '“Webhook” is failing: the endpoint returned 5xx',
      project_id: form.projectId,
      destination: {
        id: expect.stringMatching(uuid),
        name: 'Webhook',
        failing_since: expect.stringMatching(instant),
        last_error: 'http_5xx',
        waiting: 1,
      },
    });
    const { id, failing_since: since } = Object(item?.destination);
    expect(Date.parse(since)).toBeGreaterThanOrEqual(earliest);
    expect((await api.get(`/api/v1/destinations/${id}`)).body.status).toMatchObject({
      failing_since: since,
      waiting: 1,
    });
    await waiting(form);
    await becomes(
      () => itemsOf(form.formId),
      (items) => (items[0]?.destination as { waiting: number } | undefined)?.waiting === 2,
    );
    receiver.turnTo({});
    await api.post(`/api/v1/submissions/${first}/retry-webhook`);
    await becomes(
      () => itemsOf(form.formId),
      (items) => items.length === 0,
    );
  });

  it('is not named any more once its URL is removed', async () => {
    const form = await newForm();
    await waiting(form);
    await becomes(
      () => itemsOf(form.formId),
      (items) => items.length === 1,
    );
    await api.patch(`/api/v1/forms/${form.formId}`, { webhook_url: null });
    await becomes(
      () => itemsOf(form.formId),
      (items) => items.every(({ kind }) => kind !== 'destination_failing'),
    );
  });
});
