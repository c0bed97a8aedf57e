/**
 * What a client can do with nothing but the server's address: by the OpenAPI document, and on the pages beside it. No path and no text
 * makes the server work for long. Whatever writes or contacts other servers is limited in number.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, makeForm, request } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { browserAccept, type VisitorAnswer, visit } from '../../support/visitor.js';
import { blocksOf, meterArguments } from '../../support/work-meter.js';

const maxBlockMs = 50;
/** Node accepts heads of 16 KiB. */
const longHead = 15_000;

let server: RunningServer;
let formId: string;
beforeAll(async () => {
  server = await startServer({
    env: { ...withAdmin, API_RATE_LIMIT_PER_MINUTE: '1000000' },
    nodeArguments: meterArguments,
  });
  ({ formId } = await makeForm(server.url));
});
afterAll(() => server.dispose());

interface Attack {
  readonly what: string;
  send(name: string): Promise<VisitorAnswer>;
}

/** Attacks that block the event loop for too long, by the minimum of several rounds: garbage collection, or other tests, can hit any. */
async function longBlocks(attacks: readonly Attack[]): Promise<readonly string[]> {
  const least = new Map<string, number>();
  let left = attacks;
  for (let round = 0; round < 12 && left.length > 0; round += 1) {
    for (const [index, { what, send }] of left.entries()) {
      const { status, text } = await send(`${round}-${index}`);
      expect(status, `${what}: ${text.slice(0, 200)}`).toBeLessThan(500);
    }
    const blocks = await blocksOf(server);
    for (const [index, { what }] of left.entries())
      least.set(what, Math.min(least.get(what) ?? Infinity, blocks.get(`${round}-${index}`) ?? Infinity));
    left = left.filter(({ what }) => (least.get(what) ?? 0) > maxBlockMs);
  }
  return left.map(({ what }) => `${what}: ${least.get(what)} ms`);
}

it('no path keeps the server busy', async () => {
  const starts = [
    '/',
    '/docs/',
    '/dashboard/',
    '/f/',
    '/confirm/',
    '/unsubscribe?token=',
    '/api/v1/',
    '/assets/',
  ];
  const units = ['/', '.', '../', '%2f', '%2e%2e/', '-', ';', '=', '&a', '%20', 'a', '.md'];
  const attacks = starts.flatMap((start) =>
    units.map((unit): Attack => {
      const path = `${start}${unit.repeat(Math.floor(longHead / unit.length))}x`;
      return {
        what: `GET ${start}${unit.repeat(2)}…`,
        send: (name) => visit(`${server.url}${path}`, { method: 'GET', headers: { 'x-case': name } }),
      };
    }),
  );
  expect(await longBlocks(attacks)).toEqual([]);
});

it('nothing that a visitor types keeps a page busy that shows it again with the errors', async () => {
  const fields = [
    { name: 'text', type: 'textarea' },
    { name: 'day', type: 'date' },
  ];
  const { endpoint } = await makeForm(server.url, { form: { hosted_page: true, fields } });
  const units = ['<', "'", '%26', '%22', 'a', '%E2%80%AE'];
  const attacks = units.map(
    (unit): Attack => ({
      what: `1 MB of ${unit}`,
      send: (name) =>
        visit(endpoint, {
          headers: {
            ...{ origin: server.url, referer: endpoint, accept: browserAccept, 'x-case': name },
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: `day=x&text=${unit.repeat(1_000_000 / unit.length)}`,
        }),
    }),
  );
  expect(await longBlocks(attacks)).toEqual([]);
});

it('no form keeps the server busy with the code to copy', async () => {
  // Nearly as much as the rules of a form may contain.
  const choices = Array.from({ length: 500 }, (_, i) => String.fromCharCode(0x4e00 + i));
  const fields = Array.from({ length: 30 }, (_, i) => ({
    ...{ name: `f${i}`, type: 'choice', choices, multiple: true },
  }));
  const form = await makeForm(server.url, { form: { fields } });
  const attack: Attack = {
    what: 'snippets',
    send: (name) =>
      visit(`${server.url}/api/v1/forms/${form.formId}/snippets`, {
        method: 'GET',
        headers: { authorization: `Bearer ${apiKey}`, 'x-case': name },
      }),
  };
  expect(await longBlocks([attack])).toEqual([]);
});

it('no cell of an import keeps the server busy', async () => {
  const long = (start: string, unit: string): string => `${start}${unit.repeat(900_000 / unit.length)}x`;
  const own = 'submission_id,created_at,name,files,ip,user_agent,submitted_from\n';
  const bodies = {
    'a date of blanks': `date,name\n"${long('2024-01-01', ' ')}",Ann\n`,
    'a date of words': `date,name\n"${long('', 'Jan ')}",Ann\n`,
    'semicolons in a cell of our own': `${own}1,2024-01-01T00:00:00Z,"a'${long('', ';')}",,,,\n`,
    'questions marks in a link': `date,name\n2024-01-01,"http://a/${long('', '?')}"\n`,
    quotes: `date,name\n2024-01-01,"${long('', '""')}"\n`,
  };
  const attacks = Object.entries(bodies).map(
    ([what, body]): Attack => ({
      what,
      send: (name) =>
        visit(`${server.url}/api/v1/forms/${formId}/import?dry_run=1`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv', 'x-case': name },
          body,
        }),
    }),
  );
  expect(await longBlocks(attacks)).toEqual([]);
});

describe('every operation that needs no credential', () => {
  interface Described {
    readonly security?: readonly unknown[];
    readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  }
  /** These read one row by its index, or nothing. A form has its own limits, and a download needs its token. */
  const unlimited = new Set([
    'GET /api/v1/setup',
    'GET /api/v1/session/providers',
    'DELETE /api/v1/session',
    'GET /api/v1/files/{id}/content',
    'POST /api/v1/session/passkey/challenge',
    'POST /api/v1/session/second-factor',
  ]);

  it('is refused to one network after a while, unless it costs nothing', { timeout: 240_000 }, async () => {
    const api = client(server.url);
    const made = await api.post('/api/v1/identity-providers', {
      ...{ name: 'Acme', issuer: 'http://127.0.0.1:1/', client_id: 'x', client_secret: 'x' },
    });
    const { body } = await request(`${server.url}/openapi.json`);
    const operations = Object.entries<Record<string, Described>>(body.paths)
      .filter(([path]) => path.startsWith('/api/v1/'))
      .flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { security }]) => security?.length === 0)
          .map(([method, { requestBody }]) => ({
            name: `${method.toUpperCase()} ${path}`,
            method: method.toUpperCase(),
            path: path.replace('{id}', made.body.id),
            body: requestBody?.content['application/json']?.example,
          })),
      );
    expect(operations.length).toBeGreaterThan(12);
    const endless: string[] = [];
    for (const { name, method, path, body: example } of operations) {
      const ask = async () =>
        (
          await visit(`${server.url}${path}`, {
            method,
            headers: { accept: 'application/json', 'content-type': 'application/json' },
            ...(example === undefined ? {} : { body: JSON.stringify(example) }),
          })
        ).status;
      let status = 0;
      for (let count = 0; count < 130 && status !== 429; count += 1) status = await ask();
      if (status !== 429) endless.push(name);
    }
    expect(endless.filter((name) => !unlimited.has(name))).toEqual([]);
  });
});
