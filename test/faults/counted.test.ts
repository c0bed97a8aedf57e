/**
 * Outages are visible: every response below /f/ is counted once, and the page that sent the request can read it. In one PostgreSQL outage
 * 3,689 visitors got 503 and the metrics showed 16.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../cluster/cluster.js';
import { parseExpression } from '../deploy/promql.js';
import { filePart, multipartBody, textPart } from '../support/bodies.js';
import { type MadeForm, makeForm, request } from '../support/client.js';
import { blobsOnDisk, stagedFiles } from '../support/data-folder.js';
import { rawExchange, requestHead } from '../support/raw.js';
import { type RunningServer, startServer } from '../support/server.js';
import { type PostgresServer, startPostgres } from '../support/services/postgres.js';
import { visit } from '../support/visitor.js';

const origin = 'https://example.com';

let postgres: PostgresServer;
let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  postgres = await startPostgres();
  server = await startServer({
    env: { DATABASE_URL: postgres.url, DATABASE_POOL_SIZE: '3', LOG_LEVEL: 'silent' },
  });
  form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
});
afterAll(async () => {
  await server?.dispose();
  await postgres?.dispose();
});

interface Seen {
  readonly status: number;
  /** Access-Control-Allow-Origin. */
  readonly readableBy: string | undefined;
  readonly credentials: string | undefined;
}

/** Uses a client that reads every header. */
async function send(target: string, method: string, headers: Record<string, string>, body?: string) {
  const answer = await visit(`${server.url}${target}`, {
    method,
    headers: { origin, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: answer.status,
    readableBy: answer.headers['access-control-allow-origin'],
    credentials: answer.headers['access-control-allow-credentials'],
    headers: answer.headers,
  };
}

/** Sends raw bytes, for requests that no client sends. */
async function sendRaw(bytes: string): Promise<Seen> {
  const { status, headers } = await rawExchange(server.port, bytes);
  return {
    status,
    readableBy: headers.get('access-control-allow-origin'),
    credentials: headers.get('access-control-allow-credentials'),
  };
}

const json = { 'content-type': 'application/json' };
const preflightHeaders = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type',
};

/** POSTs to a form, each with a different outcome. */
const submissions = (path: string): readonly (() => Promise<Seen>)[] => {
  const raw = (headers: readonly string[], body = '') =>
    sendRaw(requestHead('POST', path, [`Origin: ${origin}`, ...headers]) + body);
  return [
    () => send(path, 'POST', json, '{"a":1}'),
    () =>
      send(path, 'POST', { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }, 'a=1'),
    () => send(path, 'POST', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--\r\n'),
    () => send(path, 'POST', json, '{'),
    () => send(path, 'POST', json, '{"_gotcha":"x"}'),
    () => send('/f/no-such-form', 'POST', json, '{"a":1}'),
    () => send('/f/not*an*id/', 'POST', json, '{"a":1}'),
    // Responded to before the body arrives.
    () => raw(['Content-Type: application/json', 'Content-Length: 99999999']),
    // Rejected before a route is reached.
    () => raw(['Host: other.test', 'Content-Length: 0']),
    () => raw(['Expect: a-miracle', 'Content-Length: 0']),
    () => raw([...Array.from({ length: 110 }, (_, i) => `X-${i}: y`), 'Content-Length: 0']),
    () => raw(['Content-Type: application/json', 'Transfer-Encoding: chunked'], 'no chunk\r\n'),
  ];
};

/** All other requests below /f/. */
const others = (path: string): readonly (() => Promise<Seen>)[] => [
  () => send(path, 'OPTIONS', preflightHeaders),
  () => send(`${path}/challenge`, 'OPTIONS', preflightHeaders),
  () => send(`${path}/challenge`, 'GET', {}),
  () => send(`${path}/access`, 'GET', {}),
  () => send(`${path}/success`, 'GET', { accept: 'text/html' }),
  () => send(path, 'GET', {}),
  () => send(`${path}/nothing`, 'POST', json, '{}'),
];

/** The values of a metric by its labels as written. */
async function seriesOf(metric: string): Promise<ReadonlyMap<string, number>> {
  const { text } = await request(`${server.url}/metrics`);
  const found = new Map<string, number>();
  for (const [, labels = '', value] of text.matchAll(new RegExp(`^${metric}\\{(.*)\\} (\\S+)$`, 'gm')))
    found.set(labels, Number(value));
  return found;
}

const total = (series: ReadonlyMap<string, number>): number =>
  [...series.values()].reduce((sum, value) => sum + value, 0);

const countedSubmissions = async () => total(await seriesOf('inlet_submissions_total'));

async function countedOthers(): Promise<number> {
  const all = await seriesOf('inlet_http_request_duration_seconds_count');
  return total(new Map([...all].filter(([labels]) => labels.includes('route="/f/'))));
}

/** Sends all requests at once. Each of them must be counted exactly once. */
async function expectCounted(): Promise<readonly Seen[]> {
  const path = `/f/${form.publicId}`;
  const [submittedBefore, othersBefore] = [await countedSubmissions(), await countedOthers()];
  const posts = [...submissions(path), ...submissions(path), ...submissions(path)];
  const rest = [...others(path), ...others(path)];
  const seen = await Promise.all([...posts, ...rest].map((sendOne) => sendOne()));
  expect((await countedSubmissions()) - submittedBefore, 'submissions').toBe(posts.length);
  expect((await countedOthers()) - othersBefore, 'others').toBe(rest.length);
  for (const { readableBy, credentials } of seen) {
    expect(['*', origin]).toContain(readableBy);
    expect(credentials).toBeUndefined();
  }
  return seen;
}

const countsOf = (seen: readonly Seen[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of seen) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('responses below /f/', { timeout: 300_000 }, () => {
  it('are counted once each and readable by the page, while all works', async () => {
    const counts = countsOf(await expectCounted());
    expect(Object.keys(counts)).toEqual(['200', '204', '303', '400', '404', '405', '413', '417', '431']);
  });

  it('are counted once each and readable by the page, while the database is down', async () => {
    await postgres.stop();
    // The settings of the form are cached for a second.
    await eventually(async () => {
      expect((await send(`/f/${form.publicId}/success`, 'GET', {})).status).toBe(503);
    }, 45_000);
    const path = `/f/${form.publicId}`;
    const before = await seriesOf('inlet_submissions_total');
    const seen = await expectCounted();
    const after = await seriesOf('inlet_submissions_total');
    const counts = countsOf(seen);
    // The challenge, the access check, the page of a form and the one after it are not submissions.
    const posts503 = (counts[503] ?? 0) - 4 * 2;
    expect(posts503).toBeGreaterThan(10);
    const rise = (labels: string) => (after.get(labels) ?? 0) - (before.get(labels) ?? 0);
    expect(rise('outcome="service_busy"')).toBe(posts503);

    const preflight = await send(path, 'OPTIONS', preflightHeaders);
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-methods']).toBe('POST, OPTIONS');
    expect(preflight.headers['access-control-allow-headers']).toBe('Content-Type, X-Service-Key');
    expect(preflight.headers['access-control-max-age']).toBe('0');
    const post = await send(path, 'POST', json, '{"a":1}');
    expect(post.status).toBe(503);

    // Here the body names the form: the files arrive before the database is queried.
    const named = multipartBody('x', [
      textPart('access_key', form.publicId),
      filePart('cv', 'cv.txt', 'text/plain', 'x'.repeat(5_000)),
    ]);
    const type = { 'content-type': 'multipart/form-data; boundary=x', accept: 'application/json' };
    expect((await send('/submit', 'POST', type, named.toString())).status).toBe(503);
    expect([...blobsOnDisk(server.dataDir), ...stagedFiles(server.dataDir)]).toEqual([]);
    expect(post.headers['access-control-expose-headers']).toContain('Retry-After');
    expect(post.headers['retry-after']).toMatch(/^\d+$/);

    // The ratio in the alert, which fires above 1 %. Whether an unknown name is looked up or still known to be unknown depends on the moment.
    const alerts = parse(await readFile(new URL('../../deploy/alerts.yaml', import.meta.url), 'utf8'));
    const rule = alerts.groups[0].rules.find(
      ({ alert }: { alert: string }) => alert === 'InletSubmissionsFailing',
    );
    const [failing] = parseExpression(rule.expr).selectors;
    const outcomes = failing?.matchers.find(({ label }) => label === 'outcome')?.values ?? [];
    const failed = outcomes.reduce((sum, outcome) => sum + rise(`outcome="${outcome}"`), 0);
    expect(failed / (total(after) - total(before))).toBeGreaterThan(0.25);
  });
});
