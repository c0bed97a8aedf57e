/** `inlet doctor` for an instance on PostgreSQL, a bucket and Redis: every check runs, or says why it did not. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { complaints, inlet } from '../support/cli.js';
import { temporaryFolder } from '../support/server.js';
import { bucketSettings, type ObjectStore, startObjectStore } from '../support/services/object-store.js';
import { type PostgresServer, startPostgres } from '../support/services/postgres.js';
import { type RedisServer, startRedis } from '../support/services/redis.js';

let postgres: PostgresServer;
let redis: RedisServer;
let objects: ObjectStore;
let env: Record<string, string>;
/** Never created: checking an instance on shared services needs no data folder. */
let dataDir: string;

beforeAll(async () => {
  [postgres, redis, objects] = await Promise.all([startPostgres(), startRedis(), startObjectStore()]);
  dataDir = join(await temporaryFolder(), 'absent');
  env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    INLET_SECRET: 'a secret of at least thirty-two characters',
    ...bucketSettings(objects, await objects.newBucket()),
  };
  const migrated = await inlet(['migrate'], { dataDir: await temporaryFolder(), env });
  expect([migrated.code, complaints(migrated)]).toEqual([0, '']);
});
afterAll(() => Promise.all([postgres?.dispose(), redis?.dispose(), objects?.dispose()]));

interface Found {
  readonly state: string;
  readonly message: string;
  readonly next: string | null;
}

async function diagnose(more: Record<string, string> = {}) {
  const { code, stdout } = await inlet(['doctor', '--json'], { dataDir, env: { ...env, ...more } });
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: (Found & { name: string })[] };
  expect(code).toBe(ok ? 0 : 1);
  const found = new Map<string, Found>(checks.map((check) => [check.name, check]));
  const stateOf = (name: string) => found.get(name)?.state;
  return { code, stateOf, of: (name: string) => found.get(name) };
}

it('checks database, bucket and Redis without a data folder', async () => {
  const { code, stateOf } = await diagnose();
  expect(code).toBe(0);
  expect(['data folder', 'database', 'files', 'secret', 'Redis', 'erasing persons'].map(stateOf)).toEqual([
    'warn',
    'ok',
    'ok',
    'ok',
    'ok',
    'ok',
  ]);
});

it('fails with wrong keys of the bucket', async () => {
  const { code, of, stateOf } = await diagnose({ AWS_SECRET_ACCESS_KEY: 'wrong' });
  expect(code).toBe(1);
  expect(of('files')).toMatchObject({ state: 'fail', next: expect.stringContaining('STORAGE_URL') });
  expect(stateOf('database')).toBe('ok');
});

it('fails without PostgreSQL, checks the bucket all the same, and says what it skipped', async () => {
  await postgres.stop();
  try {
    const { code, of, stateOf } = await diagnose();
    expect(code).toBe(1);
    expect(of('database')).toMatchObject({ state: 'fail', message: expect.stringContaining('ECONNREFUSED') });
    expect(stateOf('files')).toBe('ok');
    expect(of('secret')).toEqual({
      name: 'secret',
      state: 'skip',
      message: 'not checked: the database could not be opened',
      next: null,
    });
    const { stateOf: withWrongKeys } = await diagnose({ AWS_SECRET_ACCESS_KEY: 'wrong' });
    expect(withWrongKeys('files')).toBe('fail');
  } finally {
    await postgres.start();
  }
});

it('warns without Redis', async () => {
  await redis.stop();
  try {
    const { code, of } = await diagnose();
    expect(code).toBe(0);
    expect(of('Redis')).toMatchObject({ state: 'warn', message: expect.stringContaining('ECONNREFUSED') });
  } finally {
    await redis.start();
  }
});

it('says what it skips of an embedded instance that was never started', async () => {
  const { code, stdout } = await inlet(['doctor'], { dataDir, env: {} });
  expect(code).toBe(0);
  for (const name of ['database', 'files', 'secret']) {
    expect(stdout).toMatch(new RegExp(`^skip +${name} +not checked: `, 'm'));
  }
});
