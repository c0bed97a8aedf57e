/**
 * Sends the largest and most invalid bodies to every operation of the OpenAPI document, including future ones. A full API key could once
 * crash the process with three requests: all faults of a 1 MiB body were collected and stayed referenced.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { whole } from '../../../scripts/reference/whole.mjs';
import { vitalArguments, vitalsOf } from '../../fuzz/vitals.js';
import { client, type MadeForm, makeForm, request } from '../../support/client.js';
import { expectProblem, unknownId } from '../../support/contract.js';
import { fieldBodies, type HostileBody, type Schema, shapes } from '../../support/hostile-bodies.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { type VisitorAnswer, visit } from '../../support/visitor.js';
import { blocksOf, meterArguments } from '../../support/work-meter.js';

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: Schema | null;
  readonly needsSession: boolean;
  /** Processed as it arrives, so its limit is that of a file: 256 MiB. */
  readonly isStreamed: boolean;
}

type Referred = Schema & { readonly $ref?: string };

interface Described {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Referred }>> };
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

interface Attack {
  readonly operation: Operation;
  readonly what: string;
  readonly path: string;
  readonly body?: string;
}

const KiB = 1024;
const maxBlockMs = 50;
const maxGrownBytes = 8 * KiB * KiB;
/** Only a hang takes this long. */
const hangMs = 600_000;

let server: RunningServer;
let form: MadeForm;
let cookie: string;
let operations: readonly Operation[];

beforeAll(async () => {
  server = await startServer({
    env: { API_RATE_LIMIT_PER_MINUTE: '1000000' },
    nodeArguments: ['--max-old-space-size=128', ...vitalArguments, ...meterArguments],
  });
  form = await makeForm(server.url);
  cookie = await signedIn();
  operations = await described();
});
afterAll(() => server.dispose());

async function signedIn(): Promise<string> {
  const [, token] = /setup#token=(\S+)/.exec(server.output()) ?? [];
  const answer = await request(`${server.url}/api/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, email: 'ada@example.com', password: 'a long password' }),
  });
  expect(answer.status).toBe(201);
  return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

async function described(): Promise<readonly Operation[]> {
  const { body } = await request(`${server.url}/openapi.json`);
  const resolved = (schema: Referred): Schema => {
    const { $ref, ...own } = schema;
    const whole: Schema = $ref === undefined ? own : body.components.schemas[$ref.split('/').at(-1) ?? ''];
    const { properties, items } = whole;
    const inner = Object.entries(properties ?? {}).map(([name, field]) => [name, resolved(field)]);
    return {
      ...whole,
      ...(properties && { properties: Object.fromEntries(inner) }),
      ...(items && { items: resolved(items) }),
    };
  };
  return Object.entries(whole(body).paths as Record<string, Record<string, Described>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody, security = [] }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path: realPath(method, path),
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        body: requestBody ? resolved(requestBody.content['application/json']?.schema ?? {}) : null,
        isStreamed: 'text/csv' in (requestBody?.content ?? {}),
        needsSession: security.length > 0 && security.every((way) => 'session' in way),
      })),
  );
}

/** Real ids, so that valid bodies reach the store. Unknown ones where the request would delete them. */
function realPath(method: string, path: string): string {
  const isKept = method !== 'delete';
  return path
    .replace('{form_id}', form.publicId)
    .replace('/forms/{id}', `/forms/${isKept ? form.formId : unknownId}`)
    .replace('/projects/{id}', `/projects/${isKept ? form.projectId : unknownId}`)
    .replace('{id}', unknownId);
}

const send = ({ operation, path, body }: Omit<Attack, 'what'>, name = 'none'): Promise<VisitorAnswer> =>
  visit(`${server.url}${path}`, {
    method: operation.method,
    headers: {
      'x-case': name,
      accept: 'application/json',
      ...(operation.needsSession
        ? { cookie, 'sec-fetch-site': 'same-origin' }
        : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    },
    ...(body === undefined ? {} : { body }),
  });

/** The limit as the operation itself reports it. */
async function limitOf(operation: Operation): Promise<number> {
  const answer = await send({ operation, path: operation.path, body: ' '.repeat(2 * KiB * KiB) });
  expect(answer.status, operation.name).toBe(413);
  return answer.body.limit_bytes;
}

const takesBodies = ({ method }: Operation): boolean => method !== 'GET';

/** Node accepts heads of 16 KiB. */
const longHead = 15_000;

function queryAttacks(operation: Operation): readonly Attack[] {
  const queries = [
    ['unknown parameters', Array.from({ length: longHead / 8 }, (_, index) => `x${index}=1`).join('&')],
    [
      'unknown names alone',
      Array.from({ length: longHead / 4 }, (_, index) => index.toString(36))
        .join('&')
        .slice(0, longHead),
    ],
    ...operation.query.flatMap((name) => [
      [`a long ${name}`, `${name}=${'x'.repeat(longHead)}`],
      [
        `${name} again and again`,
        Array.from({ length: longHead / (name.length + 3) }, () => `${name}=1`).join('&'),
      ],
    ]),
  ];
  return queries.map(([what = '', query]) => ({ operation, what, path: `${operation.path}?${query}` }));
}

async function bodyAttacks(operation: Operation): Promise<readonly Attack[]> {
  const { path } = operation;
  if (!takesBodies(operation)) return [];
  const limit = operation.isStreamed ? KiB * KiB : await limitOf(operation);
  const bodies: readonly HostileBody[] = [
    // An operation that takes no body parses it all the same.
    ...(operation.body ? shapes(limit) : shapes(limit).slice(0, 3)),
    ...(operation.body ? fieldBodies(operation.body, limit) : []),
  ];
  const attacks = bodies.map(({ what, text }) => {
    expect(Buffer.byteLength(text), `${operation.name} ${what}`).toBeLessThanOrEqual(limit);
    return { operation, what, path, body: text };
  });
  if (operation.isStreamed) return attacks;
  return [...attacks, { operation, what: 'one byte too many', path, body: `"${'x'.repeat(limit - 1)}"` }];
}

const nameOf = ({ operation, what }: Attack): string => `${operation.name}, ${what}`;

function judge(attack: Attack, answer: VisitorAnswer): void {
  const seen = `${nameOf(attack)}: ${answer.status} ${answer.text.slice(0, 300)}`;
  // The callback of an identity provider always redirects, whatever it is sent.
  if ((answer.status >= 200 && answer.status < 300) || answer.status === 302) return;
  expect(answer.status, seen).toBeGreaterThanOrEqual(400);
  expect(answer.status, seen).toBeLessThan(500);
  expect(answer.body?.error, seen).toMatch(/\S/);
  expect(answer.body.details?.length ?? 0, seen).toBeLessThanOrEqual(50);
  expect(answer.text.length, seen).toBeLessThan(16 * KiB);
}

const ones = (length: number): number[] => new Array(length).fill(1);
const loopbacks = (length: number): string[] => new Array(length).fill('::1');

it.each([
  ['500,000 ids', 'POST', () => '/api/v1/submissions/delete', { ids: ones(500_000) }, 128 * KiB],
  [
    '170,000 sandbox addresses',
    'PATCH',
    () => `/api/v1/forms/${form.formId}`,
    { sandbox_ips: loopbacks(170_000) },
    448 * KiB,
  ],
])('rejects %s without reading them', async (_, method, path, body, limit) => {
  const answer = await request(`${server.url}${path()}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expectProblem(answer, 413, `The body is larger than ${limit} bytes`, { limit_bytes: limit });
});

it('checks the length of a list before its items', async () => {
  const api = client(server.url);
  const tooMany = (path: string, limit: number) => ({
    details: [{ path, message: `must NOT have more than ${limit} items` }],
  });
  expectProblem(
    await api.post('/api/v1/submissions/delete', { ids: ones(60_000) }),
    400,
    'Invalid request body',
    tooMany('ids', 100),
  );
  expectProblem(
    await api.patch(`/api/v1/forms/${form.formId}`, { sandbox_ips: loopbacks(40_000), name: 1 }),
    400,
    'Invalid request body',
    tooMany('sandbox_ips', 1000),
  );
});

it('declares a maximum for every list, text and object in a body', () => {
  const faults = operations
    .filter(({ body, path, isStreamed }) => body !== null && !isStreamed && !path.startsWith('/f/'))
    .flatMap(({ name, body }) => unboundedIn(body ?? {}).map((place) => `${name} ${place}`));
  expect(faults).toEqual([]);
});

/** Formats that bound the length themselves; see src/http/validation.ts. */
const shortFormats = ['instant', 'password', 'new-password'];
/**
 * The keywords that src/http/excess.ts understands. It would not see a list behind `anyOf`, for example. It counts fields matched by a
 * pattern as unknown, of which few are allowed.
 */
const judged = new Set(
  'type format enum default description examples properties patternProperties required additionalProperties items minItems maxItems uniqueItems minLength maxLength pattern minimum maximum'.split(
    ' ',
  ),
);

function unboundedIn(schema: Schema, path = ''): readonly string[] {
  const strange = Object.keys(schema)
    .filter((word) => !judged.has(word))
    .map((word) => `${path} ${word}`);
  const inner = Object.entries({ ...schema.properties, ...schema.patternProperties }).flatMap(
    ([name, field]) => unboundedIn(field, `${path}.${name}`),
  );
  const types = [schema.type].flat();
  if (types.includes('array') && schema.maxItems === undefined) strange.push(`${path} maxItems`);
  if (types.includes('object') && schema.additionalProperties !== false) strange.push(`${path} open`);
  const isShort = schema.enum !== undefined || shortFormats.includes(schema.format ?? '');
  if (types.includes('string') && !isShort && schema.maxLength === undefined)
    strange.push(`${path} maxLength`);
  return [...strange, ...inner, ...(schema.items ? unboundedIn(schema.items, `${path}[]`) : [])];
}

it('takes 128 KiB, and more only where the longest valid body needs it', async () => {
  const limits: Record<string, number> = {};
  const whole = operations.filter((operation) => takesBodies(operation) && !operation.isStreamed);
  for (const operation of whole) limits[operation.name] = await limitOf(operation);
  expect(operations.filter(({ isStreamed }) => isStreamed).map(({ name }) => name)).toEqual([
    'POST /api/v1/forms/{id}/import',
  ]);
  const unusual = Object.entries(limits).filter(([, limit]) => limit !== 128 * KiB);
  expect(Object.fromEntries(unusual)).toEqual({
    'POST /f/{form_id}': 1024 * KiB,
    'POST /api/v1/projects/{id}/forms': 448 * KiB,
    'PATCH /api/v1/forms/{id}': 448 * KiB,
    'POST /api/v1/forms/{id}/fields/check': 160 * KiB,
    'POST /api/v1/forms/{id}/mail-preview': 640 * KiB,
    'POST /api/v1/forms/{id}/mail-test': 640 * KiB,
    'POST /api/v1/session': 16 * KiB,
    'DELETE /api/v1/session': 16 * KiB,
    'POST /api/v1/session/reset': 16 * KiB,
    'POST /api/v1/session/reset/complete': 16 * KiB,
    'POST /api/v1/session/email/confirm': 16 * KiB,
    'POST /api/v1/session/second-factor': 16 * KiB,
    'POST /api/v1/session/passkey': 16 * KiB,
    'POST /api/v1/session/passkey/challenge': 16 * KiB,
    'POST /api/v1/session/invitation': 16 * KiB,
    'POST /api/v1/session/invitation/find': 16 * KiB,
    'POST /api/v1/setup': 16 * KiB,
  });
});

it('answers every one, never blocks the event loop for 50 ms, and frees the memory', {
  timeout: hangMs,
}, async () => {
  const vitals = vitalsOf(server);
  // What the first request to a route compiles and caches is not a leak.
  for (const operation of operations) for (const attack of queryAttacks(operation)) await send(attack);
  const before = await vitals();
  for (const operation of operations) {
    const attacks = [...(await bodyAttacks(operation)), ...queryAttacks(operation)];
    const blocks = await blocksBy(attacks);
    for (const [index, attack] of attacks.entries())
      if ((blocks[index] ?? Infinity) > maxBlockMs)
        expect(await leastBlock(attack), nameOf(attack)).toBeLessThanOrEqual(maxBlockMs);
  }
  expect(server.process.exitCode).toBeNull();
  // Repeated if a response was still being freed.
  let grownBytes = Infinity;
  for (let tries = 0; tries < 3 && grownBytes > maxGrownBytes; tries += 1)
    grownBytes = (await vitals()).heapBytes - before.heapBytes;
  expect(grownBytes).toBeLessThan(maxGrownBytes);
});

/** How long each attack blocked the event loop, in ms of work. */
async function blocksBy(attacks: readonly Attack[]): Promise<readonly (number | undefined)[]> {
  const round = `round-${performance.now()}`;
  for (const [index, attack] of attacks.entries()) judge(attack, await send(attack, `${round}-${index}`));
  const blocks = await blocksOf(server);
  return attacks.map((_, index) => blocks.get(`${round}-${index}`));
}

/** Garbage collection, or other tests, can hit any request. Its own work takes as long each time. */
async function leastBlock(attack: Attack): Promise<number> {
  const blocks = await blocksBy(new Array(12).fill(attack));
  return Math.min(...blocks.map((ms) => ms ?? Infinity));
}
