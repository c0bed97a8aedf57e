/** Who may speak to the management interface at all: interface 5.1 and 7, decisions 2. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, request } from '../../support/client.js';
import { expectProblem, unknownId } from '../../support/contract.js';
import { bodyOf, managementRoutes, pathOf } from '../../support/management-routes.js';
import { rawRequest } from '../../support/raw-http.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.dispose());

const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
  request(`${server.url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  });

describe.each(managementRoutes.map((route) => ({ name: `${route.method} ${route.template}`, route })))(
  '$name',
  ({ route }) => {
    it.each([
      ['no credential', {}],
      ['a wrong key', { authorization: 'Bearer not-the-key-of-anybody' }],
    ])('answers 401 to %s', async (_, headers) => {
      expectProblem(await send(route.method, pathOf(route), headers, bodyOf(route)), 401, 'Invalid API key');
    });

    it('answers 401 before it looks at body, parameters or id', async () => {
      const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : '{"nmae":1';
      for (const path of [pathOf(route), `${pathOf(route, 'no-uuid')}?limit=0&format=xml&unknown=1`]) {
        expectProblem(await send(route.method, path, {}, body), 401, 'Invalid API key');
      }
    });
  },
);

describe('the credential', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme word %s', async (scheme) => {
    expect((await send('GET', '/api/v1/projects', { authorization: `${scheme} ${apiKey}` })).status).toBe(
      200,
    );
  });

  it.each([
    ['another scheme', `Basic ${apiKey}`],
    ['no scheme', apiKey],
    ['the scheme alone', 'Bearer'],
    ['the scheme and blanks', 'Bearer    '],
    ['two keys in one header', `Bearer ${apiKey}, Bearer ${apiKey}`],
    ['something behind the key', `Bearer ${apiKey} more`],
    ['the key in quotes', `Bearer "${apiKey}"`],
    ['the beginning of the key', `Bearer ${apiKey.slice(0, -1)}`],
    ['the key and one more letter', `Bearer ${apiKey}x`],
    ['the key in another case', `Bearer ${apiKey.toUpperCase()}`],
    ['SQL', "Bearer ' OR '1'='1"],
    ['a very long key', `Bearer ${'k'.repeat(8000)}`],
  ])('refuses %s', async (_, authorization) => {
    expectProblem(await send('GET', '/api/v1/projects', { authorization }), 401, 'Invalid API key');
  });

  it.each([
    ['the wrong one first', 'Bearer wrong-wrong-wrong-wrong', `Bearer ${apiKey}`],
    ['the right one first', `Bearer ${apiKey}`, 'Bearer wrong-wrong-wrong-wrong'],
  ])('refuses two Authorization headers, %s', async (_, first, second) => {
    const answer = await rawRequest(server.port, '/api/v1/projects', {
      headers: [
        ['Authorization', first],
        ['Authorization', second],
      ],
    });
    expectProblem(answer, 401, 'Invalid API key');
  });

  it.each(['api_key', 'key', 'token', 'access_token', 'authorization'])(
    'does not count in the query as %s',
    async (name) => {
      const answer = await send('GET', `/api/v1/projects?${name}=${apiKey}`, {});
      expectProblem(answer, 401, 'Invalid API key');
    },
  );

  it.each(['x-api-key', 'x-service-key', 'cookie'])('does not count in the header %s', async (name) => {
    expectProblem(await send('GET', '/api/v1/projects', { [name]: apiKey }), 401, 'Invalid API key');
  });
});

describe('the scope of a key', () => {
  let readKey: string;
  beforeAll(async () => {
    const made = await client(server.url).post('/api/v1/api-keys', { name: 'Reader', scope: 'read' });
    readKey = made.body.api_key;
  });

  it.each(
    managementRoutes
      .filter((route) => route.writes)
      .map((route) => ({ name: `${route.method} ${route.template}`, route })),
  )('read: 403 on $name', async ({ route }) => {
    const answer = await send(
      route.method,
      pathOf(route),
      { authorization: `Bearer ${readKey}` },
      bodyOf(route),
    );
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.body)).toEqual(['error', 'code']);
    expect(answer.body.error).toMatch(/read/i);
  });

  it.each(
    managementRoutes
      .filter((route) => !route.writes && !route.isEndless)
      .map((route) => ({ name: route.template, route })),
  )('read: may read $name', async ({ route }) => {
    const authorization = `Bearer ${readKey}`;
    const answer = await send(route.method, pathOf(route), { authorization }, bodyOf(route));
    expect(answer.status).toBe(route.notFound === null ? 200 : 404);
  });

  it('read: changes nothing', async () => {
    const api = client(server.url);
    const project = (await api.post('/api/v1/projects', { name: 'Kept' })).body;
    const reader = client(server.url, readKey);
    await reader.patch(`/api/v1/projects/${project.id}`, { name: 'Changed' });
    await reader.delete(`/api/v1/projects/${project.id}`);
    expect((await api.get(`/api/v1/projects/${project.id}`)).body.name).toBe('Kept');
  });
});

it('answers an unknown path with a JSON 404', async () => {
  const api = client(server.url);
  for (const path of [
    '/api/v1/nothing',
    `/api/v1/projects/${unknownId}/nothing`,
    '/api/v2/projects',
    '/nothing',
  ]) {
    expectProblem(await api.get(path), 404, 'Not found');
  }
});
