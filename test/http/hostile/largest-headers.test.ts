/**
 * Sends the longest headers in shapes that make careless patterns backtrack. A visitor could once block the event loop for more than a
 * second with one preflight (Origin), or with one request for the browser script (Accept-Encoding).
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MadeForm, makeForm } from '../../support/client.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { visit } from '../../support/visitor.js';
import { blocksOf, meterArguments } from '../../support/work-meter.js';

const maxBlockMs = 50;
/** Node accepts heads of 16 KiB. */
const long = 14_000;

let server: RunningServer;
let form: MadeForm;
beforeAll(async () => {
  server = await startServer({ env: { TRUST_PROXY: 'loopback' }, nodeArguments: meterArguments });
  form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
});
afterAll(() => server.dispose());

const names = [
  'accept',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'authorization',
  'content-type',
  'cookie',
  'host',
  'idempotency-key',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'origin',
  'range',
  'referer',
  'user-agent',
  'x-forwarded-for',
  'x-service-key',
];

const filled = (start: string, piece: string, end: string): string =>
  start + piece.repeat((long - start.length - end.length) / piece.length) + end;

const values: readonly (readonly [string, string])[] = [
  ['a URL that ends in a second word', filled('http://', 'a', ' b')],
  ['blanks inside', filled('x', ' ', 'y')],
  ['blanks before a parameter', filled('x', ' ', ';q=')],
  ['commas', filled('', ',', 'x')],
  ['empty parameters', filled('a', ';', 'x')],
  ['quotes', filled('', '"', 'x')],
  ['entity tags', filled('', 'W/"a", ', '"')],
  ['ranges', filled('bytes=', '0-1,', '')],
  ['digits', filled('bytes=', '1', 'x')],
  ['pairs', filled('', 'a=b; ', '=')],
  ['dots', filled('http://', 'a.', '')],
  ['media types', filled('', 'text/html,', 'x/')],
  ['addresses', filled('', '::1, ', 'x')],
];

const requests = (): readonly (readonly [string, string])[] => [
  ['POST', `/f/${form.publicId}`],
  ['OPTIONS', `/f/${form.publicId}`],
  ['GET', `/f/${form.publicId}/success`],
  ['GET', '/api/v1/projects'],
  ['GET', '/inlet.js'],
  ['GET', '/openapi.json'],
  ['GET', '/dashboard'],
];

it('no header of any length blocks the event loop', { timeout: 300_000 }, async () => {
  const cases = requests().flatMap(([method, path]) =>
    names.flatMap((name) => values.map(([what, value]) => ({ method, path, name, what, value }))),
  );
  const send = ({ method, path, name, value }: (typeof cases)[number], id: string) =>
    visit(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        origin: 'https://example.com',
        [name]: value,
        'x-case': id,
      },
    });
  for (const [index, each] of cases.entries())
    expect((await send(each, `${index}`)).status).toBeLessThan(500);
  const slow = [...(await blocksOf(server))].filter(([, ms]) => ms > maxBlockMs).map(([id]) => Number(id));
  // Garbage collection can hit any request. What is slow by itself is slow again.
  const stillSlow: string[] = [];
  for (const index of slow.filter((id) => !Number.isNaN(id))) {
    const each = cases[index];
    if (each === undefined) continue;
    const ids = [1, 2, 3].map((time) => `again-${index}-${time}`);
    for (const id of ids) await send(each, id);
    const blocks = await blocksOf(server);
    if (ids.every((id) => (blocks.get(id) ?? 0) > maxBlockMs))
      stillSlow.push(`${each.method} ${each.path}, ${each.name}: ${each.what}`);
  }
  expect(stillSlow).toEqual([]);
});
