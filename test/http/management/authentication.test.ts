/** Who may use the management interface at all: interface 5.1 and 7, decisions 2. */
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

    it('returns 401 before it looks at body, parameters or id', async () => {
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

describe('permissions in the OpenAPI document', () => {
  interface Documented {
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { readonly 'x-permission'?: string } | undefined>>>
    >;
    readonly 'x-permissions': Readonly<Record<string, string>>;
  }
  let document: Documented;
  beforeAll(async () => {
    document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Documented;
  });

  it('name the least role that may call each route: a read key is a viewer', () => {
    const told = managementRoutes.map(({ method, template }) => {
      const permission = document.paths[template]?.[method.toLowerCase()]?.['x-permission'] ?? 'none';
      return { method, template, isForViewers: document['x-permissions'][permission] === 'viewer' };
    });
    expect(told).toEqual(
      managementRoutes.map(({ method, template, writes }) => ({ method, template, isForViewers: !writes })),
    );
  });

  it('leave out only what is open, or belongs to the person who is signed in', () => {
    const without = Object.entries(document.paths).flatMap(([template, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => operation?.['x-permission'] === undefined)
        .map(([method]) => `${method.toUpperCase()} ${template}`),
    );
    expect(without.filter((route) => route.includes(' /api/')).sort()).toEqual([
      'DELETE /api/v1/session',
      'DELETE /api/v1/session/list',
      'DELETE /api/v1/session/list/{id}',
      'DELETE /api/v1/session/passkeys/{id}',
      'DELETE /api/v1/session/totp',
      'GET /api/v1/files/{id}/content',
      'GET /api/v1/session',
      'GET /api/v1/session/factors',
      'GET /api/v1/session/list',
      'GET /api/v1/session/providers',
      'GET /api/v1/session/providers/{id}',
      'GET /api/v1/session/providers/{id}/callback',
      'GET /api/v1/session/providers/{id}/sign-out',
      'GET /api/v1/setup',
      'PATCH /api/v1/session/passkeys/{id}',
      'POST /api/v1/session',
      'POST /api/v1/session/email/confirm',
      'POST /api/v1/session/invitation',
      'POST /api/v1/session/invitation/find',
      'POST /api/v1/session/passkey',
      'POST /api/v1/session/passkey/challenge',
      'POST /api/v1/session/passkeys',
      'POST /api/v1/session/passkeys/challenge',
      'POST /api/v1/session/recovery-codes',
      'POST /api/v1/session/reset',
      'POST /api/v1/session/reset/complete',
      'POST /api/v1/session/second-factor',
      'POST /api/v1/session/switch',
      'POST /api/v1/session/totp',
      'POST /api/v1/setup',
      'PUT /api/v1/session/email',
      'PUT /api/v1/session/password',
      'PUT /api/v1/session/totp',
    ]);
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
