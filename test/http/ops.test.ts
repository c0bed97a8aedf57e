/** Endpoints of the service itself: /healthz /readyz /metrics /openapi.json /docs. Decisions 1. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, client, makeForm, request, submitJson } from '../support/client.js';
import { managementRoutes } from '../support/management-routes.js';
import { apiKey, type RunningServer, startServer } from '../support/server.js';
import { visit } from '../support/visitor.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.dispose());

const get = (path: string): Promise<Answer> => request(`${server.url}${path}`);

it('/healthz says that it lives, to everybody', async () => {
  const answer = await get('/healthz');
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ status: 'ok' });
});

it('/readyz says of database, storage and queue that they work', async () => {
  const answer = await get('/readyz');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    status: 'ok',
    checks: { database: 'ok', storage: 'ok' },
    queue_age_seconds: expect.any(Number),
  });
});

it('/metrics speaks the text format of Prometheus and counts what happens', async () => {
  const { endpoint } = await makeForm(server.url);
  await submitJson(endpoint, { a: 1 });
  await client(server.url).get('/api/v1/projects');
  const answer = await get('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; *version=0\.0\.4/);
  const lines = answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) expect(line).toMatch(/^[a-zA-Z_:][\w:]*(\{.*\})? \S+$/);
  expect(answer.text).toMatch(/^inlet_\w*submission\w*\{[^}]*accepted[^}]*\} 1$/m);
  expect(answer.text).toMatch(/^inlet_\w*request\w*\{.*\/api\/v1\/projects.*\} \d/m);
});

it('/metrics says how the parts stand, how long accepted submissions took, and which program this is', async () => {
  const { endpoint } = await makeForm(server.url);
  const countOf = async () =>
    Number(/^inlet_submission_duration_seconds_count (\d+)$/m.exec((await get('/metrics')).text)?.[1]);
  const before = await countOf();
  await submitJson(endpoint, { a: 1 });
  await submitJson(`${server.url}/f/no-such-form`, { a: 1 });
  expect(await countOf()).toBe(before + 1);
  const { text } = await get('/metrics');
  expect(text).toMatch(/^inlet_ready\{part="database"\} 1$/m);
  expect(text).toMatch(/^inlet_ready\{part="storage"\} 1$/m);
  expect(text).toMatch(/^inlet_queue_age_seconds 0$/m);
  expect(text).toMatch(/^inlet_storage_free_bytes\{kind="disk"\} [1-9]\d+$/m);
  expect(text).toMatch(/^inlet_info\{version="\d+\.\d+\.\d+",role="all"\} 1$/m);
});

it('/metrics answers when a part fails, and says which', async () => {
  const hurt = await startServer({ env: { LOG_LEVEL: 'silent' } });
  try {
    const files = join(hurt.dataDir, 'files');
    await rename(files, `${files}.away`);
    const answer = await request(`${hurt.url}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^inlet_ready\{part="database"\} 1$/m);
    expect(answer.text).toMatch(/^inlet_ready\{part="storage"\} 0$/m);
    expect((await request(`${hurt.url}/readyz`)).status).toBe(503);
  } finally {
    await hurt.dispose();
  }
});

it('/metrics names no ids, so that they cannot grow without end', async () => {
  const { projectId } = await makeForm(server.url);
  await client(server.url).get(`/api/v1/projects/${projectId}`);
  await client(server.url).get('/api/v1/no-such-path-here');
  const { text } = await get('/metrics');
  expect(text).not.toContain(projectId);
  expect(text).not.toContain('no-such-path-here');
});

describe('/openapi.json', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document, looked at piece by piece
  let document: any;
  let text: string;
  beforeAll(async () => {
    const answer = await get('/openapi.json');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    document = answer.body;
    text = answer.text;
  });

  const operations = (): [string, Record<string, unknown>][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Record<string, unknown>>).map(
        ([method, operation]): [string, Record<string, unknown>] => [
          `${method.toUpperCase()} ${path}`,
          operation,
        ],
      ),
    );

  // biome-ignore lint/suspicious/noExplicitAny: a piece of the document
  const resolved = (piece: any): any => (piece.$ref === undefined ? piece : at(piece.$ref));
  const at = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce((piece, key) => piece?.[key], document);

  const ask = (headers: Record<string, string> = {}, method = 'GET') =>
    visit(`${server.url}/openapi.json`, { method, headers });

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
  ])('comes compressed for a client that accepts %s', async (accepted, coding) => {
    const answer = await fetch(`${server.url}/openapi.json`, { headers: { 'accept-encoding': accepted } });
    expect(answer.headers.get('content-encoding')).toBe(coding);
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(text.length / 5);
    expect(await answer.text()).toBe(text);
  });

  it.each([['identity'], ['gzip;q=0, br;q=0'], ['']])(
    'comes as it is for a client that accepts "%s"',
    async (accepted) => {
      const answer = await ask({ 'accept-encoding': accepted });
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(answer.text).toBe(text);
    },
  );

  it('is not sent again to a client that has it, and says so to caches', async () => {
    const { headers } = await ask();
    expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'cache-control': 'no-cache' });
    const again = await ask({ 'if-none-match': String(headers.etag) });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('responds to HEAD with the length of what GET would send', async () => {
    const plain = await ask({}, 'HEAD');
    expect([plain.status, plain.text]).toEqual([200, '']);
    expect(plain.headers['content-length']).toBe(String(Buffer.byteLength(text)));
    const small = await ask({ 'accept-encoding': 'gzip' }, 'HEAD');
    expect(small.headers['content-encoding']).toBe('gzip');
    expect(Number(small.headers['content-length'])).toBeLessThan(Buffer.byteLength(text) / 5);
  });

  it('is a document of OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    expect(document.servers).toEqual([{ url: server.url }]);
    expect(Object.values(document.components.securitySchemes)).toContainEqual(
      expect.objectContaining({ type: 'http', scheme: 'bearer' }),
    );
    expect(document.components.securitySchemes.session).toMatchObject({
      type: 'apiKey',
      in: 'cookie',
      name: 'inlet_session',
    });
  });

  it.each(managementRoutes.map((route) => [`${route.method} ${route.template}`]))('describes %s', (name) => {
    expect(operations().map(([operation]) => operation)).toContain(name);
  });

  it('describes POST /f/{form_id} with its three content types', () => {
    const { post } = document.paths['/f/{form_id}'];
    expect(Object.keys(post.requestBody.content).sort()).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ]);
    expect(Object.keys(post.responses)).toEqual(
      expect.arrayContaining(['200', '303', '400', '402', '403', '404', '413', '429']),
    );
  });

  it('gives every operation a summary, answers with a description, and every parameter of its path', () => {
    for (const [name, operation] of operations()) {
      expect(operation.summary, name).toMatch(/\S/);
      const answers = Object.entries(operation.responses as Record<string, { description?: string }>);
      expect(answers.length, name).toBeGreaterThan(0);
      for (const [status, answer] of answers) {
        expect(status, name).toMatch(/^[1-4]\d\d$|^[45]XX$/);
        expect(resolved(answer).description, name).toMatch(/\S/);
      }
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const parameters: { name: string; in: string; required?: boolean }[] = (
        (operation.parameters ?? []) as object[]
      ).map(resolved);
      const declared = parameters.filter((parameter) => parameter.in === 'path');
      expect(declared.map((parameter) => parameter.name).sort(), name).toEqual(inPath.sort());
      for (const parameter of declared) expect(parameter.required, name).toBe(true);
    }
  });

  it('asks for the key on the management interface, and not for a submission', () => {
    /** Routes for callers who have no credentials yet. */
    const open =
      / \/api\/v1\/(setup|session\/(reset(\/complete)?|email\/confirm|second-factor|invitation(\/find)?|passkey(\/challenge)?|providers.*))$|^(POST|DELETE) \/api\/v1\/session$/;
    for (const [name, { security }] of operations()) {
      const needed = (security ?? document.security ?? []) as unknown[];
      const isOpen = open.test(name);
      const isByToken = name.endsWith('/content');
      expect(needed.length > 0, name).toBe(name.includes('/api/v1/') && !isOpen && !isByToken);
    }
  });

  it('has only references that lead somewhere inside it', () => {
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference);
    // There were once none for a year, and this test passed.
    expect(new Set(references).size).toBeGreaterThan(50);
    for (const reference of references) {
      expect(reference).toMatch(/^#\/components\/(schemas|responses|parameters)\/\w+$/);
      expect(at(reference), reference).toBeDefined();
    }
  });

  it('names no other host', () => {
    const hosts = [...text.matchAll(/https?:\/\/([^/"\s\\]+)/g)].map((match) => match[1]);
    for (const host of hosts) expect(host).toMatch(/^(127\.0\.0\.1:\d+|(.*\.)?example(\.(com|org|net))?)$/);
  });

  it('says what a client may send: the body of a new project', () => {
    const { content } = document.paths['/api/v1/projects'].post.requestBody;
    const schema = resolved(content['application/json'].schema);
    expect(Object.keys(schema.properties).sort()).toEqual([
      'allowed_origins',
      'is_active',
      'name',
      'notify_emails',
      'rate_limit_per_minute',
      'webhook_url',
    ]);
    expect(schema.required).toEqual(['name']);
    expect(schema.additionalProperties).toBe(false);
  });

  it('is true to the answers: fields of projects and forms', async () => {
    const schemaOf = (path: string, method: string, status: string) =>
      resolved(resolved(document.paths[path][method].responses[status]).content['application/json'].schema);
    const { projectId, formId } = await makeForm(server.url);
    const api = client(server.url);
    const compare = async (path: string, asked: string, inList = false) => {
      const schema = schemaOf(path, 'get', '200');
      const { body } = await api.get(asked);
      const described = inList ? resolved(schema.properties.data.items) : schema;
      const answered = inList ? body.data[0] : body;
      expect(Object.keys(described.properties).sort()).toEqual(Object.keys(answered).sort());
    };
    await compare('/api/v1/projects', '/api/v1/projects', true);
    await compare('/api/v1/projects/{id}', `/api/v1/projects/${projectId}`);
    await compare(
      '/api/v1/projects/{id}/forms',
      `/api/v1/projects/${projectId}/forms?include_archived=true`,
      true,
    );
    await compare('/api/v1/forms/{id}', `/api/v1/forms/${formId}`);
    await compare('/api/v1/account', '/api/v1/account');
  });
});

it('/ leads to the dashboard', async () => {
  const answer = await get('/');
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/dashboard']);
});

it('tells outsiders nothing of its insides in any of them', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
    const { text } = await get(path);
    expect(text).not.toContain(apiKey);
    expect(text).not.toContain(server.dataDir);
  }
});
