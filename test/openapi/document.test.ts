/** What tools make of /openapi.json: Redocly's linter, and everything that a generator relies on. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { whole } from '../../scripts/reference/whole.mjs';
import { checkResponse, type Exchanged } from '../support/document-check.js';
import { type RunningServer, startServer } from '../support/server.js';

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}
interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Content>>;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object; readonly responses: Readonly<Record<string, Response>> };
}

let server: RunningServer;
let text: string;
let document: Document;
beforeAll(async () => {
  server = await startServer();
  text = await (await fetch(`${server.url}/openapi.json`)).text();
  document = JSON.parse(text);
});
afterAll(() => server.dispose());

const operationsOf = ({ paths }: Document): readonly [string, Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
/** With shared parts resolved. */
const operations = () => operationsOf(whole(document));
const operation = (name: string): Operation | undefined => new Map(operations()).get(name);
const typesOf = (name: string, status: string): string[] =>
  Object.keys(operation(name)?.responses[status]?.content ?? {});

it('has a success or a redirect for every operation', () => {
  for (const [name, { responses }] of operations())
    expect(Object.keys(responses), name).toEqual(
      expect.arrayContaining([expect.stringMatching(/^[23]\d\d$/)]),
    );
});

it('is clean under the recommended rules of Redocly', async () => {
  const file = join(server.dataDir, 'openapi.json');
  await writeFile(file, text);
  const program = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js');
  const words = [program, 'lint', '--extends', 'recommended', '--format', 'json'];
  // The routes to an identity provider and back only redirect, see above.
  words.push('--skip-rule', 'operation-2xx-response', file);
  const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, words, { env, cwd: server.dataDir });
  const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  expect(problems).toEqual([]);
  expect(totals).toMatchObject({ errors: 0, warnings: 0, ignored: 0 });
});

it('is at most 1.6 kB for each operation, because what several have is in it once', () => {
  expect(Buffer.byteLength(text) / operations().length).toBeLessThanOrEqual(1_600);
  expect(Object.keys(document.components.schemas).length).toBeGreaterThan(40);
});

it('names every operation once, with a verb and a noun', () => {
  const ids = operations().map(([, { operationId }]) => operationId);
  for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
  expect(new Set(ids).size).toBe(ids.length);
});

it('gives every operation an example, and only such as fit their schemas', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  const fitting = (name: string, content: Content): void => {
    const schema = JSON.parse(JSON.stringify(content.schema).replaceAll('"#/', '"openapi#/'));
    const validate = ajv.compile(schema);
    expect(validate(content.example), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  };
  for (const [name, { requestBody, responses }] of operations()) {
    const successes = Object.entries(responses).filter(([status]) => status < '400');
    const contents = [requestBody, ...successes.map(([, response]) => response)].flatMap((part) =>
      Object.values(part?.content ?? {}),
    );
    const shown = contents.filter((content) => content.example !== undefined);
    const hasBody = contents.length > 0;
    expect(shown.length > 0, name).toBe(hasBody);
    for (const content of shown) fitting(name, content);
  }
  for (const [name, { content = {} }] of Object.entries(document.components.responses))
    for (const shown of Object.values(content)) if (shown.example !== undefined) fitting(name, shown);
});

it('refers to shared error responses, and every operation has them', () => {
  for (const [name, { responses }] of operationsOf(document)) {
    const errors = Object.entries(responses).filter(([status]) => status >= '400');
    const usual = name.includes(' /f/') ? ['404', '429', '5XX'] : ['4XX', '5XX'];
    expect(Object.keys(responses), name).toEqual(expect.arrayContaining(usual));
    for (const [, { $ref }] of errors) expect($ref, name).toMatch(/^#\/components\/responses\/\w+$/);
  }
});

it('says which responses are not JSON', () => {
  expect(typesOf('GET /api/v1/forms/{id}/submissions/export', '200')).toEqual([
    'text/csv',
    'application/x-ndjson',
  ]);
  const content = ['application/octet-stream', 'image/*'];
  expect(typesOf('GET /api/v1/files/{id}/content', '200')).toEqual(expect.arrayContaining(content));
  expect(typesOf('GET /api/v1/files/{id}/download', '200')).toEqual(expect.arrayContaining(content));
  expect(typesOf('GET /api/v1/events', '200')).toEqual(['text/event-stream']);
  expect(typesOf('GET /f/{form_id}/success', '200')).toEqual(['text/html']);
});

it('is what the test client holds every response against', () => {
  const seen = (more: Partial<Exchanged>) => () =>
    checkResponse({
      method: 'GET',
      url: `${server.url}/api/v1/projects`,
      status: 200,
      type: 'application/json; charset=utf-8',
      text: '{"data":[]}',
      ...more,
    });
  const error = (code: string, words = 'Form not found') => JSON.stringify({ error: words, code });
  const notFound = { url: `${server.url}/api/v1/forms/x`, status: 404 };
  expect(seen({})).not.toThrow();
  expect(seen({ ...notFound, text: error('form_not_found') })).not.toThrow();
  expect(seen({ text: '{"data":[{"id":"x"}]}' })).toThrow('required property');
  expect(seen({ text: '{"data":[],"more":1}' })).toThrow('additional properties');
  expect(seen({ status: 418, text: error('form_not_found') })).toThrow('status is not declared');
  expect(seen({ type: 'text/plain' })).toThrow('media type text/plain is not declared');
  expect(seen({ method: 'PUT' })).toThrow('operation is not declared');
  expect(seen({ method: 'DELETE', url: `${server.url}/api/v1/forms/x`, status: 204 })).toThrow('no body');
  expect(seen({ ...notFound, text: '{"error":"Form not found"}' })).toThrow('code');
  expect(seen({ ...notFound, text: error('no_such_code') })).toThrow('unknown code');
  expect(seen({ ...notFound, text: error('form_not_found', 'No form') })).toThrow('not the text');
});
