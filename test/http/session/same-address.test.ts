/** One e-mail address in several accounts: neither learns of the other, and the password selects which is meant. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MadeAccount, makeAccount } from '../../support/accounts.js';
import { client } from '../../support/client.js';
import { expectProblem } from '../../support/contract.js';
import { admin, behindProxy, signIn, withAdmin } from '../../support/dashboard.js';
import { type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let other: MadeAccount;
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, ...behindProxy } });
  other = await makeAccount(server, 'starter', 'Other');
});
afterAll(() => server.dispose());

const password = 'the password in the other account';

it('is taken as any other, and only once in an account', async () => {
  const api = client(server.url, other.api_key);
  const fresh = await api.post('/api/v1/users', { email: 'fresh@example.com', password });
  const taken = await api.post('/api/v1/users', { email: 'ADA@example.com', password });
  expect([fresh.status, taken.status]).toEqual([201, 201]);
  expect(taken.body).toEqual({
    ...fresh.body,
    id: taken.body.id,
    email: admin.email,
    created_at: taken.body.created_at,
  });
  expectProblem(
    await api.post('/api/v1/users', { email: admin.email, password }),
    409,
    'A user with this e-mail address already exists',
  );
  const emails = (await api.get('/api/v1/users')).body.data.map(({ email }: { email: string }) => email);
  expect(emails).toEqual(['fresh@example.com', admin.email]);
  expect((await client(server.url).get('/api/v1/users')).body.data).toHaveLength(1);
});

it('signs in to the account whose password it is', async () => {
  const accountOf = async (credentials: { email: string; password: string }) =>
    (await signIn(server, credentials)).body.account?.name;
  expect(await accountOf(admin)).toBe('Default');
  expect(await accountOf({ ...admin, password })).toBe('Other');
  expectProblem(
    await signIn(server, { ...admin, password: 'of neither account' }),
    401,
    'Invalid e-mail address or password',
  );
});

it('is removed from one account without a trace in the other', async () => {
  const api = client(server.url, other.api_key);
  const { data } = (await api.get('/api/v1/users')).body;
  const mine = data.find(({ email }: { email: string }) => email === admin.email);
  expect((await api.delete(`/api/v1/users/${mine.id}`)).status).toBe(204);
  expect((await signIn(server, { ...admin, password })).status).toBe(401);
  expect((await signIn(server)).status).toBe(200);
});
