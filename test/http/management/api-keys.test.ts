/** API keys of an account: created, shown once, listed, revoked at once. Decisions 2 and 3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client } from '../../support/client.js';
import {
  expectDeleted,
  expectFaults,
  expectFields,
  expectProblem,
  instant,
  unknownId,
  uuid,
} from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';

const listed = ['id', 'name', 'scope', 'prefix', 'created_at', 'expires_at', 'project_ids', 'last_used_at'];

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const make = async (body: Record<string, unknown>) => {
  const answer = await api.post('/api/v1/api-keys', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};

describe('making a key', () => {
  it.each([
    ['full by default', { name: 'Deploy' }, 'full'],
    ['full', { name: 'Deploy', scope: 'full' }, 'full'],
    ['read', { name: 'Deploy', scope: 'read' }, 'read'],
  ])('%s', async (_, body, scope) => {
    const made = await make(body);
    expectFields(made, [
      'id',
      'name',
      'scope',
      'prefix',
      'created_at',
      'expires_at',
      'project_ids',
      'api_key',
    ]);
    expect(made).toMatchObject({ name: 'Deploy', scope, expires_at: null });
    expect(made.id).toMatch(uuid);
    expect(made.created_at).toMatch(instant);
    expect(made.api_key).toMatch(/^inlet_[A-Za-z0-9_-]{20,}$/);
    expect(made.api_key.startsWith(made.prefix)).toBe(true);
    expect(made.prefix.length).toBeLessThan(made.api_key.length / 2);
    expect((await client(server.url, made.api_key).get('/api/v1/projects')).status).toBe(200);
  });

  it('makes another key each time', async () => {
    expect((await make({ name: 'A' })).api_key).not.toBe((await make({ name: 'A' })).api_key);
  });

  it.each([
    ['no name', {}, ['name']],
    ['a blank name', { name: '   ' }, ['name']],
    ['a name that is no text', { name: 7 }, ['name']],
    ['a name that is too long', { name: 'n'.repeat(201) }, ['name']],
    ['an unknown scope', { name: 'A', scope: 'admin' }, ['scope']],
    ['an expiry in the past', { name: 'A', expires_at: '2020-01-01T00:00:00Z' }, ['expires_at']],
    ['an expiry that is no time', { name: 'A', expires_at: 'tomorrow' }, ['expires_at']],
    ['an unknown field', { name: 'A', scopes: 'read' }, ['scopes']],
    ['several faults', { scope: null, api_key: 'mine' }, ['name', 'scope', 'api_key']],
  ])('refuses %s', async (_, body, paths) => {
    expectFaults(await api.post('/api/v1/api-keys', body), paths);
  });
});

describe('the list', () => {
  it('shows what is needed to recognise a key and never the key', async () => {
    const made = await make({ name: 'Listed', scope: 'read' });
    const answer = await api.get('/api/v1/api-keys');
    expect(answer.status).toBe(200);
    expectFields(answer.body, ['data']);
    for (const item of answer.body.data) expectFields(item, listed);
    const { api_key: secret, ...shown } = made;
    expect(answer.body.data).toContainEqual({ ...shown, last_used_at: null });
    expect(answer.text).not.toContain(secret);
  });

  it('says when a key was last used', async () => {
    const made = await make({ name: 'Used' });
    await client(server.url, made.api_key).get('/api/v1/account');
    // Written after the response.
    const lastUsedAt = async (): Promise<string | null> =>
      (await api.get('/api/v1/api-keys')).body.data.find(({ id }: { id: string }) => id === made.id)
        .last_used_at;
    await expect.poll(lastUsedAt).toMatch(instant);
    expect((await lastUsedAt()) ?? '').toSatisfy((at: string) => at >= made.created_at);
  });
});

describe('expiring', () => {
  const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

  it('leaves a key as it is until then', async () => {
    const expiry = inMs(3_600_000);
    const made = await make({ name: 'For an hour', expires_at: expiry });
    expect(made.expires_at).toBe(expiry);
    expect((await client(server.url, made.api_key).get('/api/v1/account')).status).toBe(200);
  });

  it('opens nothing from then on, and stays on the list', async () => {
    const made = await make({ name: 'For a moment', expires_at: inMs(1_000) });
    const bearer = client(server.url, made.api_key);
    await expect
      .poll(async () => (await bearer.get('/api/v1/account')).status, { timeout: 30_000 })
      .toBe(401);
    expectProblem(await bearer.post('/api/v1/projects', { name: 'X' }), 401, 'Invalid API key');
    expect((await api.get('/api/v1/api-keys')).text).toContain(made.id);
  });
});

describe('revoking', () => {
  it('works at once, once, and takes the key off the list', async () => {
    const made = await make({ name: 'Short-lived' });
    const bearer = client(server.url, made.api_key);
    expect((await bearer.get('/api/v1/projects')).status).toBe(200);
    expectDeleted(await api.delete(`/api/v1/api-keys/${made.id}`));
    expectProblem(await bearer.get('/api/v1/projects'), 401, 'Invalid API key');
    expectProblem(await bearer.post('/api/v1/projects', { name: 'X' }), 401, 'Invalid API key');
    expectProblem(await api.delete(`/api/v1/api-keys/${made.id}`), 404, 'API key not found');
    expect((await api.get('/api/v1/api-keys')).text).not.toContain(made.id);
  });

  it('leaves a key that revoked itself without access', async () => {
    const made = await make({ name: 'Self' });
    const bearer = client(server.url, made.api_key);
    expectDeleted(await bearer.delete(`/api/v1/api-keys/${made.id}`));
    expectProblem(await bearer.get('/api/v1/account'), 401, 'Invalid API key');
  });

  it.each([unknownId, 'no-uuid', '..%2Fprojects'])('knows no key %s', async (id) => {
    expectProblem(await api.delete(`/api/v1/api-keys/${id}`), 404, 'API key not found');
  });

  it("does not reach another account's keys", async () => {
    const other = client(server.url, (await makeAccount(server, 'pro')).api_key);
    const mine = await make({ name: 'Mine' });
    expectProblem(await other.delete(`/api/v1/api-keys/${mine.id}`), 404, 'API key not found');
    expect((await other.get('/api/v1/api-keys')).text).not.toContain(mine.id);
    expect((await client(server.url, mine.api_key).get('/api/v1/account')).status).toBe(200);
  });
});

it('of INLET_API_KEY opens the first account, on the enterprise plan by default', async () => {
  const answer = await api.get('/api/v1/account');
  expect(answer.status).toBe(200);
  expect(answer.body.plan).toBe('enterprise');
});
