/** Moving a form to another project, with everything that is found by project. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { expectFaults, expectFields, expectProblem, fields, unknownId } from '../../support/contract.js';
import { startAnswering } from '../../support/receivers.js';
import { type RunningServer, startServer } from '../../support/server.js';
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
let api: Client;
beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '600,600,600,600' });
  api = client(server.url);
});
afterAll(() => server.dispose());

const done = async (call: Promise<Awaited<ReturnType<Client['get']>>>, status = 200) => {
  const answer = await call;
  expect(answer.status, answer.text).toBe(status);
  return answer.body;
};

const aProject = async (some: object = {}): Promise<{ id: string; webhook_secret: string }> =>
  done(api.post('/api/v1/projects', { name: 'Elsewhere', ...some }), 201);
const move = (form: MadeForm, projectId: string, by = api) =>
  by.post(`/api/v1/forms/${form.formId}/move`, { project_id: projectId });
const idsIn = async (projectId: string, query = '', by = api): Promise<readonly string[]> =>
  (await done(by.get(`/api/v1/projects/${projectId}/submissions${query}`))).data.map(
    ({ id }: { id: string }) => id,
  );
const arrives = (projectId: string, count: number, query = '') =>
  becomes(
    () => idsIn(projectId, query),
    (ids) => ids.length === count,
  );

describe('POST /api/v1/forms/{id}/move', () => {
  it('puts the form into the other project, with its address, aliases, settings and numbers', async () => {
    const form = await makeForm(server.url, { form: { retention_days: 30 } });
    await done(api.post(`/api/v1/forms/${form.formId}/aliases`, { alias: `old-${form.publicId}` }), 201);
    await submit(form.endpoint);
    const path = `/api/v1/forms/${form.formId}`;
    const before = await done(api.get(path));
    const { id } = await aProject();
    const moved = await done(move(form, id));
    expectFields(moved, fields.formFull);
    expect(moved).toEqual({ ...before, project_id: id, updated_at: moved.updated_at });
    expect(await done(api.get(path))).toEqual(moved);
    const formsOf = async (projectId: string) =>
      (await done(api.get(`/api/v1/projects/${projectId}/forms`))).data.map((one: { id: string }) => one.id);
    expect(await formsOf(form.projectId)).toEqual([]);
    expect(await formsOf(id)).toEqual([form.formId]);
    const projects = (await done(api.get('/api/v1/projects'))).data;
    const counts = projects.map((one: Record<string, unknown>) => [
      one.id,
      one.forms_count,
      one.submissions_count,
    ]);
    expect(counts).toContainEqual([form.projectId, 0, 0]);
    expect(counts).toContainEqual([id, 1, 1]);
    await submit(`${server.url}/f/old-${form.publicId}`);
    await arrives(id, 2);
  });

  it('takes submissions, searches, deliveries and destinations along', async () => {
    const url = await startAnswering({});
    const form = await makeForm(server.url);
    const config = { url: url.url };
    const path = `/api/v1/forms/${form.formId}/destinations`;
    const destination = await done(api.post(path, { kind: 'webhook', name: 'Own', config }), 201);
    const sent = [await submit(form.endpoint, { text: 'findable' }), await submit(form.endpoint)];
    for (const one of sent) await deliveryBecomes(api, one, hasState('delivered'));
    expect(await idsIn(form.projectId, '?q=findable')).toEqual([sent[0]]);
    const { id } = await aProject();
    await done(move(form, id));
    sent.push(await submit(form.endpoint, { text: 'findable too' }));
    await arrives(id, 3);
    await arrives(form.projectId, 0);
    expect([...(await idsIn(id, '?q=findable'))].sort()).toEqual([sent[0], sent[2]].sort());
    expect(await idsIn(form.projectId, '?q=findable')).toEqual([]);
    expect(await done(api.get(`/api/v1/submissions/${sent[0]}`))).toMatchObject({ project_id: id });
    const deliveriesIn = async (projectId: string) =>
      (await done(api.get(`/api/v1/projects/${projectId}/deliveries`))).data.length;
    expect(await deliveriesIn(id)).toBe(3);
    expect(await deliveriesIn(form.projectId)).toBe(0);
    expect(await done(api.get(`/api/v1/destinations/${destination.id}`))).toMatchObject({
      project_id: id,
      form_id: form.formId,
    });
    await url.close();
  });

  it('loses nothing when the project that it left is deleted', async () => {
    const form = await makeForm(server.url);
    const ids = [await submit(form.endpoint), await submit(form.endpoint)];
    const { id } = await aProject();
    await done(move(form, id));
    await done(api.delete(`/api/v1/projects/${form.projectId}`), 204);
    expect([...(await arrives(id, 2))].sort()).toEqual(ids.sort());
    const all = (await done(api.get('/api/v1/submissions'))).data;
    expect(all.map((one: { id: string }) => one.id)).toEqual(expect.arrayContaining(ids));
  });

  it('obeys the settings of its new project at once', async () => {
    const form = await makeForm(server.url, { project: { allowed_origins: ['old.example'] } });
    const from = async (origin: string) =>
      (await submitJson(form.endpoint, {}, { origin: `https://${origin}` })).status;
    expect([await from('old.example'), await from('new.example')]).toEqual([200, 403]);
    const { id } = await aProject({ allowed_origins: ['new.example'] });
    await done(move(form, id));
    expect([await from('old.example'), await from('new.example')]).toEqual([403, 200]);
    const closed = await aProject({ is_active: false });
    await done(move(form, closed.id));
    expect(await from('new.example')).toBe(403);
  });

  it('sends what waits to the project it was planned for, and what is new to the new one', async () => {
    const [before, after] = [await startTurning({ status: 500 }), await startTurning()];
    const form = await makeForm(server.url, { project: { webhook_url: before.url } });
    const path = `/api/v1/projects/${form.projectId}/destinations`;
    const config = { url: `${before.url}/second` };
    await done(api.post(path, { kind: 'webhook', name: 'Second', config }), 201);
    const { webhook_secret } = await done(api.get(`/api/v1/projects/${form.projectId}`));
    const old = await submit(form.endpoint);
    await becomes(
      () => deliveriesOf(api, old),
      (all) => all.length === 2 && all.every(isWaiting),
    );
    const { id } = await aProject({ webhook_url: after.url });
    await done(move(form, id));
    const fresh = await submit(form.endpoint);
    await deliveryBecomes(api, fresh, hasState('delivered'));
    before.turnTo({ status: 200 });
    await done(api.post(`/api/v1/submissions/${old}/retry-webhook`), 202);
    await becomes(
      () => deliveriesOf(api, old),
      (all) => all.every(hasState('delivered')),
    );
    expect(after.requests).toHaveLength(1);
    expect(before.requests).toHaveLength(4);
    const signed = before.requests.slice(2).filter(({ path: of }) => !of.endsWith('/second'));
    expect(signed).toHaveLength(1);
    for (const { body, headers } of signed)
      expect(headers.get('x-webhook-signature')).toBe(signatureOf(body, webhook_secret));
    for (const receiver of [before, after]) await receiver.close();
  });

  it('gets another slug where its own is taken', async () => {
    const form = await makeForm(server.url, { form: { name: 'Same name' } });
    const there = await makeForm(server.url, { form: { name: 'Same name' } });
    expect(await done(move(form, there.projectId))).toMatchObject({ name: 'Same name', slug: 'same-name-2' });
  });

  it('is refused without another project of the account', async () => {
    const form = await makeForm(server.url);
    const path = `/api/v1/forms/${form.formId}/move`;
    for (const id of [unknownId, 'nonsense']) expectProblem(await move(form, id), 404, 'Project not found');
    const otherAccount = client(server.url, (await makeAccount(server, 'pro')).api_key);
    const theirs = await done(otherAccount.post('/api/v1/projects', { name: 'Theirs' }), 201);
    expectProblem(await move(form, theirs.id), 404, 'Project not found');
    expectProblem(await move(form, theirs.id, otherAccount), 404, 'Form not found');
    const gone = await aProject();
    await done(api.delete(`/api/v1/projects/${gone.id}`), 204);
    expectProblem(await move(form, gone.id), 404, 'Project not found');
    expectFaults(await move(form, form.projectId), ['project_id']);
    for (const body of [{}, { project_id: null }, { project_id: 'x'.repeat(65) }])
      expectFaults(await api.post(path, body), ['project_id']);
    expect(await done(api.get(`/api/v1/forms/${form.formId}`))).toMatchObject({ project_id: form.projectId });
  });
});

it('goes on with a move after a crash, and with what arrives meanwhile', async () => {
  const first = await startServer({ env: { API_RATE_LIMIT_PER_MINUTE: '1000000' } });
  const form = await makeForm(first.url, { project: { rate_limit_per_minute: 1_000_000 } });
  const owner = client(first.url);
  const count = 260;
  const sendMany = async (): Promise<void> => {
    for (let n = 0; n < count; n += 20)
      await Promise.all(Array.from({ length: 20 }, () => submit(form.endpoint, { text: 'findable' })));
  };
  await sendMany();
  const { id } = (await owner.post('/api/v1/projects', { name: 'New', rate_limit_per_minute: 1_000_000 }))
    .body;
  expect((await move(form, id, owner)).status).toBe(200);
  await sendMany();
  await first.end('SIGKILL');
  const second = await startServer({
    ...{ dataDir: first.dataDir, port: first.port },
    env: { API_RATE_LIMIT_PER_MINUTE: '1000000' },
  });
  const counted = async (projectId: string, query = ''): Promise<number> => {
    const by = client(second.url);
    let found = 0;
    for (let cursor = ''; ; ) {
      const page = (await by.get(`/api/v1/projects/${projectId}/submissions?limit=100${query}${cursor}`))
        .body;
      found += page.data.length;
      if (!page.next_cursor) return found;
      cursor = `&cursor=${page.next_cursor}`;
    }
  };
  await becomes(
    () => counted(form.projectId),
    (left) => left === 0,
  );
  expect(await counted(id)).toBe(2 * count);
  expect(await counted(id, '&q=findable')).toBe(2 * count);
  expect(await counted(form.projectId, '&q=findable')).toBe(0);
  await second.dispose();
}, 120_000);
