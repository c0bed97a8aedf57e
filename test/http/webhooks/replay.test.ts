/** Sending many again: by form or project, time range and state, paced, counted first, and cancellable. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, makeForm } from '../../support/client.js';
import {
  expectFaults,
  expectFields,
  expectProblem,
  instant,
  unknownId,
  uuid,
} from '../../support/contract.js';
import type { RunningServer } from '../../support/server.js';
import {
  becomes,
  deliveriesOf,
  deliveryBecomes,
  hasState,
  startHookServer,
  startTurning,
  submit,
} from '../../support/webhooks.js';

const replayFields = [
  'id',
  'form_id',
  'project_id',
  'since',
  'until',
  'destination_id',
  'state',
  'status',
  'per_minute',
  'count',
  'sent',
  'created_at',
  'finished_at',
];
const env = { WEBHOOK_RETRY_DELAYS: '0.05,0.05,0.05,0.05' };

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startHookServer(env);
  api = client(server.url);
});
afterAll(() => server.dispose());

const start = (wish: Record<string, unknown>) => api.post('/api/v1/deliveries/replay', wish);
const countOf = async (wish: Record<string, unknown>): Promise<number> => {
  const answer = await start({ ...wish, dry_run: true });
  expect(answer.status, answer.text).toBe(200);
  expectFields(answer.body, ['count']);
  return answer.body.count;
};
const seen = async (id: string) => (await api.get(`/api/v1/deliveries/replays/${id}`)).body;
const finished = (id: string) =>
  becomes(
    () => seen(id),
    ({ status }) => status === 'finished',
  );

/** This many submissions to a receiver that fails, with all of their deliveries failed. */
async function failing(count: number, target: 'form' | 'project' = 'form') {
  const receiver = await startTurning({ status: 500 });
  const made = await makeForm(server.url, { [target]: { webhook_url: receiver.url } });
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await submit(made.endpoint, { index }));
  for (const id of ids) await deliveryBecomes(api, id, hasState('failed'));
  return { ...made, receiver, ids, calls: receiver.requests.length };
}

const sentAgain = ({ receiver, calls }: Awaited<ReturnType<typeof failing>>) =>
  receiver.requests.slice(calls).map(({ headers }) => headers.get('x-submission-id') ?? '');

describe('a replay', () => {
  it('counts, runs, and ends, with one attempt for each', async () => {
    const lot = await failing(4);
    const { formId, ids, receiver } = lot;
    expect(await countOf({ form_id: formId })).toBe(4);
    expect(await countOf({ form_id: lot.publicId })).toBe(4);
    expect(receiver.requests).toHaveLength(lot.calls);

    receiver.turnTo({ status: 200 });
    const begun = await start({ form_id: formId, per_minute: 60_000 });
    expect(begun.status, begun.text).toBe(202);
    expectFields(begun.body, replayFields);
    expect(begun.body).toMatchObject({
      form_id: formId,
      project_id: null,
      since: null,
      state: 'failed',
      status: 'running',
      per_minute: 60_000,
      count: 4,
      sent: 0,
      finished_at: null,
    });
    expect(begun.body.id).toMatch(uuid);
    expect(begun.body.until).toMatch(instant);
    const done = await finished(begun.body.id);
    expectFields(done, replayFields);
    expect(done).toMatchObject({ status: 'finished', count: 4, sent: 4 });
    expect(done.finished_at).toMatch(instant);

    for (const id of ids) {
      const { attempts } = await deliveryBecomes(api, id, hasState('delivered'));
      expect(attempts.at(-1)).toMatchObject({ number: 6, trigger: 'replay', status: 200 });
    }
    expect(sentAgain(lot).sort()).toEqual([...ids].sort());
    expect(await countOf({ form_id: formId })).toBe(0);
    const { body } = await api.get('/api/v1/deliveries/replays');
    expect(body.data[0]).toEqual(done);
    await receiver.close();
  });

  it('that fails again leaves them failed, with nothing automatic after it', async () => {
    const lot = await failing(2);
    const begun = await start({ form_id: lot.formId, per_minute: 60_000 });
    await finished(begun.body.id);
    for (const id of lot.ids) {
      const delivery = await deliveryBecomes(
        api,
        id,
        ({ state, attempts }) => state === 'failed' && attempts.length === 6,
      );
      expect(delivery.next_attempt_at).toBeNull();
    }
    // Another submission makes all of its five attempts meanwhile.
    await deliveryBecomes(api, await submit(lot.endpoint), hasState('failed'));
    expect(sentAgain(lot).filter((id) => lot.ids.includes(id))).toHaveLength(2);
    await lot.receiver.close();
  });

  it('of a project takes the forms and targets of it, and of no other', async () => {
    const lot = await failing(2, 'project');
    const other = await failing(1);
    const second = await api.post(`/api/v1/projects/${lot.projectId}/forms`, { name: 'Second' });
    const third = await submit(second.body.endpoint);
    await deliveryBecomes(api, third, hasState('failed'));
    expect(await countOf({ project_id: lot.projectId })).toBe(3);
    expect(await countOf({ form_id: lot.formId })).toBe(2);
    lot.receiver.turnTo({ status: 200 });
    other.receiver.turnTo({ status: 200 });
    const begun = await start({ project_id: lot.projectId, per_minute: 60_000 });
    expect(begun.body).toMatchObject({ form_id: null, project_id: lot.projectId, count: 3 });
    await finished(begun.body.id);
    for (const id of [...lot.ids, third]) await deliveryBecomes(api, id, hasState('delivered'));
    expect(other.receiver.requests).toHaveLength(other.calls);
    await Promise.all([lot.receiver.close(), other.receiver.close()]);
  });

  it('takes a time range: from the one time on, up to the other', async () => {
    const lot = await failing(3);
    const times: string[] = [];
    for (const id of lot.ids) times.push((await api.get(`/api/v1/submissions/${id}`)).body.created_at);
    const [first, second, third] = times;
    const wish = { form_id: lot.formId };
    expect(await countOf({ ...wish, since: second })).toBe(2);
    expect(await countOf({ ...wish, until: second })).toBe(1);
    expect(await countOf({ ...wish, since: first, until: third })).toBe(2);
    expect(await countOf({ ...wish, since: '2999-01-01T00:00:00Z' })).toBe(0);
    lot.receiver.turnTo({ status: 200 });
    const begun = await start({ ...wish, since: second, until: third, per_minute: 60_000 });
    expect(begun.body).toMatchObject({ since: second, until: third, count: 1 });
    await finished(begun.body.id);
    await deliveryBecomes(api, lot.ids[1] ?? '', hasState('delivered'));
    expect(sentAgain(lot)).toEqual([lot.ids[1]]);
    await lot.receiver.close();
  });

  it('of delivered ones sends those, and leaves failed ones alone', async () => {
    const lot = await failing(1);
    lot.receiver.turnTo({ status: 200 });
    const good = await submit(lot.endpoint);
    await deliveryBecomes(api, good, hasState('delivered'));
    expect(await countOf({ form_id: lot.formId, state: 'delivered' })).toBe(1);
    const begun = await start({ form_id: lot.formId, state: 'delivered', per_minute: 60_000 });
    expect(begun.body).toMatchObject({ state: 'delivered', count: 1 });
    await finished(begun.body.id);
    await becomes(
      () => sentAgain(lot),
      (all) => all.length === 2,
    );
    expect(sentAgain(lot)).toEqual([good, good]);
    expect(await deliveriesOf(api, lot.ids[0] ?? '')).toMatchObject([{ state: 'failed' }]);
    await lot.receiver.close();
  });

  it('goes to the address that is set now; one that has none is not sent', async () => {
    const lot = await failing(2);
    const now = await startTurning();
    await api.patch(`/api/v1/forms/${lot.formId}`, { webhook_url: now.url });
    await finished((await start({ form_id: lot.formId, per_minute: 60_000 })).body.id);
    for (const id of lot.ids)
      expect(await deliveryBecomes(api, id, hasState('delivered'))).toMatchObject({ url: now.url });
    expect(now.requests).toHaveLength(2);
    expect(sentAgain(lot)).toEqual([]);
    await api.patch(`/api/v1/forms/${lot.formId}`, { webhook_url: null });
    const nowhere = await start({ form_id: lot.formId, state: 'delivered', per_minute: 60_000 });
    expect(await finished(nowhere.body.id)).toMatchObject({ sent: 0 });
    expect(now.requests).toHaveLength(2);
    await Promise.all([lot.receiver.close(), now.close()]);
  });

  it('keeps its pace', async () => {
    const lot = await failing(5);
    lot.receiver.turnTo({ status: 200 });
    const before = Date.now();
    const begun = await start({ form_id: lot.formId, per_minute: 60 });
    expect(begun.body.per_minute).toBe(60);
    for (const id of lot.ids) await deliveryBecomes(api, id, hasState('delivered'));
    // One per second: the fifth comes after at least four seconds, however fast the machine is.
    expect((lot.receiver.times.at(-1) ?? 0) - before).toBeGreaterThanOrEqual(4_000);
    await finished(begun.body.id);
    await lot.receiver.close();
  });

  it('has a pace of 600 a minute by default', async () => {
    const lot = await failing(1);
    const begun = await start({ form_id: lot.formId });
    expect(begun.body.per_minute).toBe(600);
    await finished(begun.body.id);
    await lot.receiver.close();
  });
});

it('at most three run in an account, also if more are started at once', async () => {
  const lot = await failing(1);
  const starts = Array.from({ length: 10 }, () => start({ form_id: lot.formId, per_minute: 1 }));
  const answers = await Promise.all(starts);
  const begun = answers.filter(({ status }) => status === 202);
  expect(begun).toHaveLength(3);
  for (const answer of answers)
    if (!begun.includes(answer)) expectProblem(answer, 409, '3 replays are running already', { limit: 3 });
  for (const { body } of begun)
    expect((await api.post(`/api/v1/deliveries/replays/${body.id}/cancel`)).status).toBe(200);
  await lot.receiver.close();
});

describe('cancelling', () => {
  it('stops it: what was not sent yet is not', async () => {
    const lot = await failing(3);
    lot.receiver.turnTo({ status: 200 });
    const begun = await start({ form_id: lot.formId, per_minute: 1 });
    const answer = await api.post(`/api/v1/deliveries/replays/${begun.body.id}/cancel`);
    expect(answer.status, answer.text).toBe(200);
    expectFields(answer.body, replayFields);
    expect(answer.body).toMatchObject({ status: 'cancelled', sent: 0, count: 3 });
    expect(answer.body.finished_at).toMatch(instant);
    // A later replay is processed in the same steps, and finishes. The cancelled one would have been processed by then.
    const other = await failing(1);
    await finished((await start({ form_id: other.formId, per_minute: 60_000 })).body.id);
    expect(await seen(begun.body.id)).toMatchObject({ status: 'cancelled', sent: 0 });
    expect(sentAgain(lot)).toEqual([]);
    const again = await api.post(`/api/v1/deliveries/replays/${begun.body.id}/cancel`);
    expect([again.status, again.body]).toEqual([
      409,
      { error: 'The replay has ended already', code: 'replay_ended' },
    ]);
    await Promise.all([lot.receiver.close(), other.receiver.close()]);
  });

  it('is rejected for one that has ended, one of another account and an unknown one', async () => {
    const lot = await failing(1);
    const { id } = (await start({ form_id: lot.formId, per_minute: 60_000 })).body;
    await finished(id);
    expect((await api.post(`/api/v1/deliveries/replays/${id}/cancel`)).status).toBe(409);
    const outsider = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    const missing = [
      await outsider.get(`/api/v1/deliveries/replays/${id}`),
      await outsider.post(`/api/v1/deliveries/replays/${id}/cancel`),
      await api.get(`/api/v1/deliveries/replays/${unknownId}`),
      await api.post('/api/v1/deliveries/replays/nonsense/cancel'),
    ];
    for (const answer of missing) {
      expect([answer.status, answer.body]).toEqual([
        404,
        { error: 'Replay not found', code: 'replay_not_found' },
      ]);
    }
    expect((await outsider.get('/api/v1/deliveries/replays')).body).toEqual({ data: [] });
    await lot.receiver.close();
  });
});

describe('an invalid request', () => {
  it('names both a form and a project, or neither', async () => {
    const { formId, projectId } = await makeForm(server.url);
    expectFaults(await start({ form_id: formId, project_id: projectId }), ['form_id']);
    expectFaults(await start({}), ['form_id']);
    expectFaults(await start({ dry_run: true }), ['form_id']);
  });

  it('names a form or project that is unknown or of another account', async () => {
    const { formId, projectId } = await makeForm(server.url);
    const outsider = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    for (const dry_run of [true, false]) {
      const forms = [
        await start({ form_id: unknownId, dry_run }),
        await outsider.post('/api/v1/deliveries/replay', { form_id: formId, dry_run }),
      ];
      for (const answer of forms)
        expect([answer.status, answer.body]).toEqual([
          404,
          { error: 'Form not found', code: 'form_not_found' },
        ]);
      const projects = [
        await start({ project_id: unknownId, dry_run }),
        await outsider.post('/api/v1/deliveries/replay', { project_id: projectId, dry_run }),
      ];
      for (const answer of projects) {
        expect([answer.status, answer.body]).toEqual([
          404,
          { error: 'Project not found', code: 'project_not_found' },
        ]);
      }
    }
  });

  it.each([
    [{ state: 'waiting' }, 'state'],
    [{ since: 'yesterday' }, 'since'],
    [{ until: '2026-13-01T00:00:00Z' }, 'until'],
    [{ per_minute: 0 }, 'per_minute'],
    [{ per_minute: 1.5 }, 'per_minute'],
    [{ per_minute: 60_001 }, 'per_minute'],
    [{ dry_run: 'yes' }, 'dry_run'],
    [{ forms: 'x' }, 'forms'],
  ])('is refused by name: %j', async (wrong, path) => {
    const { formId } = await makeForm(server.url);
    expectFaults(await start({ form_id: formId, ...wrong }), [path]);
  });
});

it('goes on after a restart where it was', async () => {
  const first = await startHookServer(env);
  const receiver = await startTurning({ status: 500 });
  const made = await makeForm(first.url, { form: { webhook_url: receiver.url } });
  const before = client(first.url);
  const ids: string[] = [];
  for (let index = 0; index < 4; index += 1) ids.push(await submit(made.endpoint));
  for (const id of ids) await deliveryBecomes(before, id, hasState('failed'));
  const calls = receiver.requests.length;
  receiver.turnTo({ status: 200 });
  const begun = await before.post('/api/v1/deliveries/replay', { form_id: made.formId, per_minute: 60 });
  await becomes(
    async () => (await before.get(`/api/v1/deliveries/replays/${begun.body.id}`)).body.sent,
    (sent) => sent === 1,
  );
  await deliveryBecomes(before, ids[0] ?? '', hasState('delivered'));
  await first.end('SIGKILL');
  const second = await startHookServer(env, { dataDir: first.dataDir });
  const after = client(second.url);
  const done = await becomes(
    async () => (await after.get(`/api/v1/deliveries/replays/${begun.body.id}`)).body,
    ({ status }) => status === 'finished',
  );
  expect(done).toMatchObject({ count: 4, sent: 4 });
  for (const id of ids) await deliveryBecomes(after, id, hasState('delivered'));
  const again = receiver.requests.slice(calls).map(({ headers }) => headers.get('x-submission-id') ?? '');
  expect(new Set(again)).toEqual(new Set(ids));
  await receiver.close();
  await second.dispose();
});
