/** Roles of users, in an account and in projects: who changes them, and when they take effect. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { makeAccount } from '../../support/accounts.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { expectProblem, unknownId } from '../../support/contract.js';
import { cookieIn, type Person, person, signedIn } from '../../support/dashboard.js';
import { changeStored } from '../../support/engine.js';
import { memberOf } from '../../support/permission-callers.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { submit } from '../../support/webhooks.js';

let server: RunningServer;
let made: MadeForm;
let other: MadeForm;
beforeAll(async () => {
  server = await startServer({ env: { API_RATE_LIMIT_PER_MINUTE: '1000000', TRUST_PROXY: 'loopback' } });
  made = await makeForm(server.url);
  other = await makeForm(server.url);
});
afterAll(() => server.dispose());

let people = 0;
const nextEmail = (): string => {
  people += 1;
  return `member-${people}@example.com`;
};
const member = (access: Readonly<Record<string, unknown>> = {}) => memberOf(server, nextEmail(), access);
const api = () => client(server.url);
const create = (access: Readonly<Record<string, unknown>>) =>
  api().post('/api/v1/users', { email: nextEmail(), password: 'a long password', ...access });
const inProject = (role: string, id = made.projectId) => ({ projects: [{ project_id: id, role }] });

describe('a user', () => {
  it('is an owner unless a role is named', async () => {
    expect((await create({})).body).toMatchObject({ role: 'owner', projects: [] });
    expect((await create({ role: 'viewer' })).body).toMatchObject({ role: 'viewer', projects: [] });
    const limited = await create(inProject('editor'));
    expect(limited.body).toMatchObject({ role: null, ...inProject('editor') });
    const listed = (await api().get('/api/v1/users')).body.data;
    expect(listed.find(({ id }: { id: string }) => id === limited.body.id)).toEqual(limited.body);
  });

  it.each([
    ['a role and projects', { role: 'editor', ...inProject('viewer', unknownId) }, 'projects'],
    ['a project that does not exist', inProject('viewer', unknownId), 'projects.0.project_id'],
    ['the role of an owner in a project', inProject('owner', unknownId), 'projects.0.role'],
    ['an unknown role', { role: 'admin' }, 'role'],
    [
      'more projects than a hundred',
      { projects: Array.from({ length: 101 }, () => ({ project_id: unknownId, role: 'viewer' })) },
      'projects',
    ],
  ])('has not %s', async (_, access, path) => {
    const answer = await create(access);
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toBe(path);
  });

  it('has one role in a project, of the own account', async () => {
    const twice = await create({
      projects: [...inProject('viewer').projects, ...inProject('editor').projects],
    });
    expect(twice.body.details).toEqual([{ path: 'projects.1.project_id', message: 'is there twice' }]);
    const { api_key: key } = await makeAccount(server, 'pro', 'Foreign');
    const foreign = await makeForm(server.url, { key });
    expect((await create(inProject('viewer', foreign.projectId))).body.details).toEqual([
      { path: 'projects.0.project_id', message: 'is not a project of this account' },
    ]);
  });

  it('gets another role, which counts at once for the session that is open', async () => {
    const ada = await member({ role: 'editor' });
    const rename = () => ada.ask('PATCH', `/projects/${made.projectId}`, { name: 'Renamed' });
    const secret = async () => (await ada.ask('GET', `/projects/${made.projectId}`)).body.webhook_secret;
    expect((await rename()).status).toBe(200);
    expect(await secret()).toMatch(/^whsec_/);
    const change = (access: unknown) => api().patch(`/api/v1/users/${ada.id}`, access);
    expect((await change({ role: 'viewer' })).body).toMatchObject({ id: ada.id, role: 'viewer' });
    expectProblem(await rename(), 403, 'Your role does not allow this');
    expect(await secret()).toBeNull();
    expect((await ada.ask('GET', '/session')).body.user).toMatchObject({ role: 'viewer', projects: [] });
    expect((await change(inProject('editor', other.projectId))).body.role).toBeNull();
    expectProblem(await rename(), 404, 'Project not found');
    expectProblem(await ada.ask('GET', '/users'), 403, 'This needs access to the whole account');
    expect((await change({ role: 'owner', projects: [] })).body).toMatchObject({ role: 'owner' });
    expect((await rename()).status).toBe(200);
  });

  it('keeps a role when nothing or nobody is named', async () => {
    const { id } = await member({ role: 'viewer' });
    for (const body of [{}, { role: null }, { projects: [] }])
      expect((await api().patch(`/api/v1/users/${id}`, body)).status, JSON.stringify(body)).toBe(400);
    expectProblem(await api().patch(`/api/v1/users/${unknownId}`, { role: 'viewer' }), 404, 'User not found');
    const foreign = client(server.url, (await makeAccount(server, 'pro', 'Foreign')).api_key);
    expectProblem(await foreign.patch(`/api/v1/users/${id}`, { role: 'owner' }), 404, 'User not found');
    const listed = (await api().get('/api/v1/users')).body.data;
    expect(listed.find((user: { id: string }) => user.id === id).role).toBe('viewer');
  });
});

describe('the last owner of an account', () => {
  const text = 'The last owner of an account cannot be deleted or get another role';
  let key: string;
  const own = () => client(server.url, key);
  const owner = async (role = 'owner'): Promise<Person & { id: string }> => {
    const credentials = { email: nextEmail(), password: 'a long password' };
    const { body } = await own().post('/api/v1/users', { ...credentials, role });
    return { ...(await signedIn(server, credentials)), id: body.id };
  };
  const rolesNow = async () =>
    (await own().get('/api/v1/users')).body.data.map(({ role }: { role: string }) => role);

  it('cannot be demoted or deleted, by nobody; with a second one they can', async () => {
    key = (await makeAccount(server, 'pro', 'Small')).api_key;
    const [first, viewer] = [await owner(), await owner('viewer')];
    expectProblem(await first.ask('PATCH', `/users/${first.id}`, { role: 'editor' }), 409, text);
    expectProblem(await own().patch(`/api/v1/users/${first.id}`, { role: 'viewer' }), 409, text);
    expectProblem(await own().delete(`/api/v1/users/${first.id}`), 409, text);
    expect(await rolesNow()).toEqual(['owner', 'viewer']);
    expect((await first.ask('PATCH', `/users/${viewer.id}`, { role: 'owner' })).status).toBe(200);
    expect((await first.ask('PATCH', `/users/${first.id}`, { role: 'viewer' })).status).toBe(200);
    expectProblem(
      await first.ask('PATCH', `/users/${first.id}`, { role: 'owner' }),
      403,
      'Your role does not allow this',
    );
    expect(await rolesNow()).toEqual(['viewer', 'owner']);
  });

  it('stays when two demote each other at the same moment', async () => {
    key = (await makeAccount(server, 'pro', 'Couple')).api_key;
    const [one, two] = [await owner(), await owner()];
    const answers = await Promise.all([
      one.ask('PATCH', `/users/${two.id}`, { role: 'viewer' }),
      two.ask('PATCH', `/users/${one.id}`, { role: 'viewer' }),
    ]);
    expect(answers.map(({ status }) => status)).toContain(200);
    expect((await rolesNow()).filter((role: string) => role === 'owner')).toHaveLength(1);
  });
});

describe('a part in some projects', () => {
  it('shows only these, in every list, total and search', async () => {
    const words = ['inside the reach', 'outside the reach'];
    const reader = await member(inProject('viewer'));
    const [inside, outside] = [
      await submit(made.endpoint, { words: words[0] }),
      await submit(other.endpoint, { words: words[1] }),
    ];
    const idsIn = async (path: string) =>
      (await reader.ask('GET', path)).body.data.map(({ id }: { id: string }) => id);
    expect(await idsIn('/projects')).toEqual([made.projectId]);
    expect(await idsIn('/submissions')).toEqual([inside]);
    expect(await idsIn('/submissions?q=reach')).toEqual([inside]);
    const account = (await reader.ask('GET', '/account')).body;
    expect(account.usage).toEqual({ projects: 1, forms: 1, submissions: 1 });
    const all = (await api().get('/api/v1/account')).body.usage;
    expect(all.submissions).toBeGreaterThanOrEqual(2);
    const stats = (await reader.ask('GET', '/stats')).body;
    const whole = (await api().get('/api/v1/stats')).body;
    expect(JSON.stringify(stats)).not.toEqual(JSON.stringify(whole));
    const exported = await reader.ask('POST', '/submissions/export', { ids: [inside, outside] });
    expect(exported.text).toContain(words[0]);
    expect(exported.text).not.toContain(words[1]);
    expect((await reader.ask('GET', '/unread')).body.data).toEqual([{ form_id: made.formId, unread: 1 }]);
  });

  it('shows secrets only of the projects in which the role may see them', async () => {
    const mixed = await member({
      projects: [...inProject('viewer').projects, ...inProject('editor', other.projectId).projects],
    });
    const shown = async (path: string) => (await mixed.ask('GET', path)).body;
    expect((await shown(`/projects/${made.projectId}`)).webhook_secret).toBeNull();
    expect((await shown(`/forms/${made.formId}`)).sandbox_api_key).toBeNull();
    expect((await shown(`/projects/${other.projectId}`)).webhook_secret).toMatch(/^whsec_/);
    expect((await shown(`/forms/${other.formId}`)).sandbox_api_key).not.toBeNull();
    const listed = (await shown('/projects')).data as readonly { id: string; webhook_secret: unknown }[];
    expect(listed.find(({ id }) => id === made.projectId)?.webhook_secret ?? null).toBeNull();
    const rename = (id: string) => mixed.ask('PATCH', `/projects/${id}`, { name: 'Renamed' });
    expectProblem(await rename(made.projectId), 404, 'Project not found');
    expect((await rename(other.projectId)).status).toBe(200);
  });

  it('is limited to it by an API key too, which an operator cannot widen by a body', async () => {
    const limited = await api().post('/api/v1/api-keys', {
      ...{ name: 'One project', project_ids: [made.projectId] },
    });
    expect(limited.body.project_ids).toEqual([made.projectId]);
    const key = client(server.url, limited.body.api_key);
    expect((await key.get(`/api/v1/forms/${made.formId}`)).body.sandbox_api_key).not.toBeNull();
    expectProblem(await key.get(`/api/v1/forms/${other.formId}`), 404, 'Form not found');
    const move = await key.post(`/api/v1/forms/${made.formId}/move`, { project_id: other.projectId });
    expectProblem(move, 404, 'Project not found');
    for (const [path, body] of [
      ['/api/v1/projects', { name: 'Mine' }],
      ['/api/v1/api-keys', { name: 'Wider' }],
      ['/api/v1/labels', { name: 'Mine' }],
      ['/api/v1/views', { name: 'Mine' }],
    ] as const)
      expectProblem(await key.post(path, body), 403, 'This needs access to the whole account');
    const view = await key.post('/api/v1/views', { name: 'Mine', form_id: made.formId });
    expect(view.status).toBe(201);
    const list = (await api().get('/api/v1/api-keys')).body.data;
    expect(list.find(({ id }: { id: string }) => id === limited.body.id).project_ids).toEqual([
      made.projectId,
    ]);
    for (const ids of [[], [unknownId], [made.projectId, made.projectId]])
      expect((await api().post('/api/v1/api-keys', { name: 'X', project_ids: ids })).status).toBe(400);
  });

  it('is nothing any more when the project is deleted', async () => {
    const gone = await makeForm(server.url);
    const reader = await member(inProject('viewer', gone.projectId));
    expect((await reader.ask('GET', '/projects')).body.data).toHaveLength(1);
    await api().delete(`/api/v1/projects/${gone.projectId}`);
    expect((await reader.ask('GET', '/projects')).body.data).toEqual([]);
    expect((await reader.ask('GET', '/submissions')).body.data).toEqual([]);
  });
});

describe('a person with users in several accounts', () => {
  it('switches between them, and only between them', async () => {
    const ada = await member();
    const there = await makeAccount(server, 'pro', 'There');
    const nowhere = await makeAccount(server, 'pro', 'Nowhere');
    const [here, id] = [(await ada.ask('GET', '/session')).body, newId(Date.now())];
    expect(here.accounts).toEqual([{ id: here.account.id, name: here.account.name }]);
    await changeStored(
      server.dataDir,
      `INSERT INTO users (id, account_id, email, password_hash, created_at, read_up_to, login_id, role)
        SELECT '${id}', '${there.id}', email, password_hash, 1, '', login_id, 'viewer' FROM users WHERE id = '${ada.id}'`,
    );
    const both = [...here.accounts, { id: there.id, name: 'There' }];
    expect((await ada.ask('GET', '/session')).body.accounts).toEqual(both);
    for (const target of [nowhere.id, unknownId])
      expectProblem(
        await ada.ask('POST', '/session/switch', { account_id: target }),
        404,
        'Account not found',
      );
    const switched = await ada.ask('POST', '/session/switch', { account_id: there.id });
    expect(switched.body).toMatchObject({
      user: { id, role: 'viewer' },
      account: { id: there.id, name: 'There' },
      accounts: both,
    });
    const after = person(server.url, cookieIn(switched) ?? '');
    expect((await after.ask('GET', '/projects')).body.data).toEqual([]);
    expectProblem(await after.ask('POST', '/projects', { name: 'X' }), 403, 'Your role does not allow this');
    expectProblem(await ada.ask('GET', '/session'), 401, 'Not signed in');
    const back = await after.ask('POST', '/session/switch', { account_id: here.account.id });
    expect(back.body.user.id).toBe(ada.id);
  });

  it('does not switch to an account that requires single sign-on', async () => {
    const ada = await member();
    const there = await makeAccount(server, 'pro', 'With single sign-on');
    const id = newId(Date.now());
    await changeStored(
      server.dataDir,
      `INSERT INTO users (id, account_id, email, password_hash, created_at, read_up_to, login_id, role)
        SELECT '${id}', '${there.id}', email, password_hash, 1, '', login_id, 'viewer' FROM users WHERE id = '${ada.id}'`,
    );
    const { email } = (await ada.ask('GET', '/session')).body.user;
    const made = await client(server.url, there.api_key).post('/api/v1/identity-providers', {
      ...{ name: 'Acme', issuer: 'https://sso.example', client_id: 'x', client_secret: 'y' },
      ...{ domains: [email.split('@')[1]], is_required: true },
    });
    expect(made.status, made.text).toBe(201);
    const refused = await ada.ask('POST', '/session/switch', { account_id: there.id });
    expectProblem(refused, 403, 'Sign in with single sign-on');
    expect((await ada.ask('GET', '/session')).status).toBe(200);
    await client(server.url, there.api_key).delete(`/api/v1/identity-providers/${made.body.id}`);
  });

  it('does not switch with an API key', async () => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const nobody = person(server.url, 'none');
    const answer = await nobody.ask('POST', '/session/switch', { account_id: unknownId }, headers);
    expectProblem(answer, 401, 'Not signed in');
  });
});
