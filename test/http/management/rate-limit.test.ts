/** The rate limit of the management interface: per key, 429 with retry_after. Interface 7, decisions 1. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Client, client, request } from '../../support/client.js';
import { expectFields, expectProblem } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';

const limit = 10;
let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer({ env: { API_RATE_LIMIT_PER_MINUTE: String(limit) } });
  api = client(server.url);
});
afterAll(() => server.dispose());

const freshKey = async (): Promise<string> =>
  (await api.post('/api/v1/api-keys', { name: 'Fresh' })).body.api_key;

function expectLimited(answer: Answer): void {
  expect(answer.status, answer.text).toBe(429);
  expectFields(answer.body, ['error', 'code', 'retry_after']);
  expect(answer.body.error).toBe('Rate limit exceeded');
  expect(Number.isInteger(answer.body.retry_after)).toBe(true);
  expect(answer.body.retry_after).toBeGreaterThanOrEqual(1);
  expect(answer.body.retry_after).toBeLessThanOrEqual(60);
  expect(answer.headers.get('retry-after')).toBe(String(answer.body.retry_after));
}

it('refuses a key that asked too often, and only that key', async () => {
  const busy = client(server.url, await freshKey());
  const project = (await api.post('/api/v1/projects', { name: 'P' })).body;
  for (let asked = 0; asked < limit; asked += 1) {
    expect((await busy.get('/api/v1/projects')).status).toBe(200);
  }
  expectLimited(await busy.get('/api/v1/projects'));
  expectLimited(await busy.get('/api/v1/account'));
  expectLimited(await busy.post('/api/v1/projects', { name: 'Not made' }));
  expectLimited(await busy.delete(`/api/v1/projects/${project.id}`));

  const { data } = (await api.get('/api/v1/projects')).body;
  expect(data.map((item: { name: string }) => item.name)).toEqual(['P']);
});

it('does not let outsiders use up anything', async () => {
  const calm = client(server.url, await freshKey());
  for (let asked = 0; asked < limit * 3; asked += 1) {
    const outsider = client(server.url, 'wrong-wrong-wrong-wrong');
    expectProblem(await outsider.get('/api/v1/projects'), 401, 'Invalid API key');
  }
  expect((await calm.get('/api/v1/projects')).status).toBe(200);
});

it('counts requests whose body is refused', async () => {
  const authorization = `Bearer ${await freshKey()}`;
  const send = () =>
    request(`${server.url}/api/v1/projects`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"nam',
    });
  for (let asked = 0; asked < limit; asked += 1) expect((await send()).status).toBe(400);
  expectLimited(await send());
});
