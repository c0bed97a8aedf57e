/** Bodies that are not settings at all: the same responses wherever a body is accepted. Decisions 3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, client, type MadeForm, makeForm, request } from '../../support/client.js';
import { expectDeleted, expectFaults, expectFields } from '../../support/contract.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let made: MadeForm;
beforeAll(async () => {
  server = await startServer();
  made = await makeForm(server.url);
});
afterAll(() => server.dispose());

const send = (method: string, path: string, body: string | undefined, type = 'application/json') =>
  request(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(type === '' ? {} : { 'content-type': type }) },
    // Bytes, so that fetch adds no content type of its own.
    ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
  });

function expectRefused(answer: Answer): void {
  expect({ status: answer.status, error: answer.body?.error }, answer.text).toEqual({
    status: 400,
    error: 'Invalid request body',
  });
  expectFields(answer.body, ['error', 'code', 'details']);
  expect(answer.body.details.length).toBeGreaterThan(0);
  for (const fault of answer.body.details) {
    expectFields(fault, ['path', 'message']);
    expect(fault.message).toMatch(/\S/);
  }
}

const takers = [
  ['POST /projects', 'POST', () => '/api/v1/projects'],
  ['PATCH /projects/{id}', 'PATCH', () => `/api/v1/projects/${made.projectId}`],
  ['POST /projects/{id}/forms', 'POST', () => `/api/v1/projects/${made.projectId}/forms`],
  ['PATCH /forms/{id}', 'PATCH', () => `/api/v1/forms/${made.formId}`],
  ['POST /api-keys', 'POST', () => '/api/v1/api-keys'],
] as const;

describe.each(takers)('%s', (_, method, path) => {
  it.each([
    ['broken JSON', '{"name":'],
    ['JSON with something behind it', '{"name":"A"} x'],
    ['single quotes', "{'name':'A'}"],
    ['an array', '[{"name":"A"}]'],
    ['a text', '"name"'],
    ['a number', '1'],
    ['null', 'null'],
    ['nothing', ''],
    ['blanks', '   '],
    ['a name nested too deep', `{"name":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['an own __proto__', '{"name":"A","__proto__":{"is_active":false}}'],
    ['an own constructor', '{"name":"A","constructor":{"prototype":{}}}'],
  ])('refuses %s', async (__, body) => {
    expectRefused(await send(method, path(), body));
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    '',
  ])('refuses the content type "%s"', async (type) => {
    expectRefused(await send(method, path(), '{"name":"A"}', type));
  });

  it('refuses a body beyond the limit with 413, naming it', async () => {
    const answer = await send(method, path(), JSON.stringify({ name: 'n'.repeat(3_000_000) }));
    expect(answer.status).toBe(413);
    expectFields(answer.body, ['error', 'code', 'limit_bytes']);
    expect(answer.body.limit_bytes).toBe((path().includes('form') ? 448 : 128) * 1024);
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON'])(
    'takes the content type %s',
    async (type) => {
      const { status } = await send(method, path(), '{"name":"A"}', type);
      expect(status).toBe(method === 'POST' ? 201 : 200);
    },
  );
});

/** Many clients send a content type with every request. Where no body is accepted, it means nothing. */
describe.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain'])(
  'an empty body of type %s',
  (type) => {
    it('is no obstacle to DELETE', async () => {
      const { projectId } = await makeForm(server.url);
      expectDeleted(await send('DELETE', `/api/v1/projects/${projectId}`, '', type));
    });

    it('is no obstacle to the rotation of a secret', async () => {
      const path = `/api/v1/projects/${made.projectId}/webhook-secret`;
      expect((await send('POST', path, '', type)).status).toBe(200);
    });

    it('is no obstacle to GET', async () => {
      expect((await send('GET', '/api/v1/projects', undefined, type)).status).toBe(200);
    });
  },
);

it('does not show outsiders what the server is made of', async () => {
  const answers = [
    await send('POST', '/api/v1/projects', '{"name":'),
    await send('POST', '/api/v1/projects', '{"name":"\\ud800"}'),
    await send('GET', '/api/v1/projects?limit=abc', undefined, ''),
  ];
  for (const { text } of answers) expect(text).not.toMatch(/fastify|FST_|ajv|sqlite|node_modules|at .+:\d+/i);
});

it('names unknown query parameters', async () => {
  const api = client(server.url);
  expectFaults(await api.get('/api/v1/projects?page=2'), ['page']);
  expectFaults(await api.get(`/api/v1/projects/${made.projectId}/forms?limt=2`), ['limt']);
  expectFaults(await api.get(`/api/v1/forms/${made.formId}/submissions?order=up&limit=0`), [
    'order',
    'limit',
  ]);
});

it.each([
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=abc', 'limit'],
  ['limit=', 'limit'],
  ['limit=5&limit=6', 'limit'],
  ['limit=true', 'limit'],
  ['cursor=garbage!', 'cursor'],
  ['cursor=', 'cursor'],
  ['cursor=AAAA', 'cursor'],
])('refuses %s on every list', async (query, path) => {
  const api = client(server.url);
  for (const list of [
    '/api/v1/projects',
    `/api/v1/projects/${made.projectId}/forms`,
    `/api/v1/projects/${made.projectId}/submissions`,
    `/api/v1/forms/${made.formId}/submissions`,
  ]) {
    expectFaults(await api.get(`${list}?${query}`), [path]);
  }
});
