/** PostgreSQL with a hostile tenant or visitor: everyone else is still served. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inletJson } from '../support/cli.js';
import { client, type MadeForm, makeForm, submitJson } from '../support/client.js';
import type { RunningServer } from '../support/server.js';
import { type Cluster, eventually, newCluster } from './cluster.js';

let cluster: Cluster;
let server: RunningServer;
let db: pg.Client;
let hostile: MadeForm;
let other: MadeForm;
let otherKey: string;

beforeAll(async () => {
  cluster = await newCluster();
  server = await cluster.start();
  db = new pg.Client({ connectionString: cluster.databaseUrl });
  await db.connect();
  hostile = await makeForm(server.url);
  const made = await inletJson(['accounts', 'create', '--name', 'Other'], {
    dataDir: cluster.dataDir,
    env: { DATABASE_URL: cluster.databaseUrl },
  });
  otherKey = String(made.api_key);
  other = await makeForm(server.url, { key: otherKey });
});
afterAll(async () => {
  await db?.end();
  await cluster?.dispose();
});

const found = async (form: MadeForm, q: string, key?: string) =>
  client(server.url, key).get(`/api/v1/forms/${form.formId}/submissions?q=${q}`);
const indexed = () =>
  eventually(async () => expect((await db.query('SELECT 1 FROM unindexed')).rows).toEqual([]), 30_000);
/** Searches that wait to read the index. Writers of the index request another lock mode. */
const waitingSearches = async (): Promise<number> => {
  const { rows } = await db.query<{ n: number }>(`SELECT count(*)::integer AS n FROM pg_locks
    WHERE relation = 'submission_search'::regclass AND mode = 'AccessShareLock' AND NOT granted`);
  return rows[0]?.n ?? 0;
};

it('searches of one tenant, however slow, leave connections for everybody else', async () => {
  await indexed();
  // As if each search took as long as this lock is open.
  await db.query('BEGIN; LOCK TABLE submission_search IN ACCESS EXCLUSIVE MODE');
  const searches = Array.from({ length: 12 }, () => found(hostile, 'word'));
  try {
    await eventually(async () => expect(await waitingSearches()).toBeGreaterThan(0), 45_000);
    for (let i = 0; i < 5; i += 1) {
      expect((await submitJson(other.endpoint, { i })).status).toBe(200);
      expect((await client(server.url, otherKey).get('/api/v1/projects')).status).toBe(200);
    }
    expect(await waitingSearches(), 'one of a tenant at a time').toBeLessThanOrEqual(1);
  } finally {
    await db.query('ROLLBACK');
  }
  for (const { status } of await Promise.all(searches)) expect([200, 503]).toContain(status);
});

/** As when PostgreSQL cancels the indexing of a submission because it takes too long. */
const failingTrigger = `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'too slow' USING ERRCODE = '57014'; END $$;
  CREATE TRIGGER failing BEFORE INSERT ON submission_search FOR EACH ROW EXECUTE FUNCTION fail()`;

it('a submission that cannot be indexed keeps nobody from searching', async () => {
  expect((await submitJson(other.endpoint, { text: 'needle' })).status).toBe(200);
  await indexed();
  await db.query(failingTrigger);
  try {
    expect((await submitJson(hostile.endpoint, { text: 'hard' })).status).toBe(200);
    const answer = await found(other, 'needle', otherKey);
    expect([answer.status, answer.body.data?.length]).toEqual([200, 1]);
  } finally {
    await db.query('DROP TRIGGER failing ON submission_search');
  }
});

it('a submission of nothing but different words is indexed by its first ones, as a thick book', async () => {
  const text = Array.from({ length: 60_000 }, (_, i) => `w${i}`).join(' ');
  expect((await submitJson(hostile.endpoint, { text })).status).toBe(200);
  await indexed();
  const { rows } = await db.query<{ words: number }>(
    'SELECT max(length(words)) AS words FROM submission_search',
  );
  expect(rows[0]?.words).toBeLessThanOrEqual(10_002);
  expect((await found(hostile, 'w9000')).body.data).toHaveLength(1);
});

it('a webhook URL is never longer than the index of the queue takes, in any alphabet', async () => {
  const api = client(server.url);
  const urlOf = (path: string) => `http://127.0.0.1:9/${path}`;
  const letters = (count: number, first: number, some: number): string =>
    Array.from({ length: count }, (_, i) => String.fromCodePoint(first + ((i * 7_919) % some))).join('');
  const longest = urlOf(letters(2048 - urlOf('').length, 0x61, 26));
  for (const [path, isFine] of [
    [letters(1_900, 0x4e00, 20_000), false],
    [letters(1_900, 0x20000, 40_000), false],
    [longest.slice(urlOf('').length), true],
    [letters(600, 0x4e00, 20_000), true],
  ] as const) {
    const answer = await api.patch(`/api/v1/forms/${hostile.formId}`, { webhook_url: urlOf(path) });
    expect(answer.status).toBe(isFine ? 200 : 400);
    expect((await submitJson(hostile.endpoint, { path: path.length })).status).toBe(200);
  }
});
