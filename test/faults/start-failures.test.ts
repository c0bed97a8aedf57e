/** A start that cannot succeed says why in one sentence with the next step, and exits with 1: as one process and as several. */
import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { inlet } from '../support/cli.js';
import { needs } from '../support/needs.js';
import { entry, plainEnvironment, temporaryFolder } from '../support/server.js';
import { newDatabase } from '../support/services/postgres.js';
import { canMount, mountSmallDisk } from '../support/small-disk.js';

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function emptyFolder(): Promise<string> {
  const folder = await temporaryFolder();
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function postgres(): Promise<string> {
  const { url, drop } = await newDatabase(inject('services').databaseUrl);
  cleanups.push(drop);
  return url;
}

/** Root without the capabilities to write and listen everywhere. Other users have none of them anyway. */
const isRoot = process.getuid?.() === 0;
const powers = '-dac_override,-dac_read_search,-fowner,-net_bind_service';
const canBeOrdinary = needs(
  'setpriv, to give up the powers of root',
  !isRoot || spawnSync('setpriv', ['--bounding-set', powers, 'true']).status === 0,
);

/** Containers often allow every port to every user. */
const hasPortsForRoot = needs(
  'ports that only root may listen on (net.ipv4.ip_unprivileged_port_start above 81)',
  Number(await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '0')) > 81,
);

/** Starts it as an ordinary user. Resolves with the sentence on standard error. */
async function refusal(
  env: Record<string, string>,
  words: readonly string[] = [],
  name = 'serve',
): Promise<string> {
  const prefix = isRoot && canBeOrdinary ? ['setpriv', '--bounding-set', powers] : [];
  const [command = '', ...rest] = [...prefix, process.execPath, entry, name, ...words];
  const child = spawn(command, rest, {
    env: {
      ...plainEnvironment(),
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'silent',
      BASE_URL: 'http://localhost',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanups.push(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^[^\n]+\.\n$/)]);
  return stderr.trimEnd();
}

const both = ['alone', 'in two processes'] as const;
/** Where it runs: with its own folder, or with a database that several processes share. */
const home = async (how: (typeof both)[number]) =>
  how === 'alone'
    ? { env: { DATA_DIR: await emptyFolder() }, words: [] }
    : { env: { DATA_DIR: await emptyFolder(), DATABASE_URL: await postgres() }, words: ['--processes', '2'] };

describe.each(both)('%s', (how) => {
  it('a port that is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => taken.close(resolve)));
    const address = taken.address();
    const port = String(typeof address === 'object' && address ? address.port : 0);
    const { env, words } = await home(how);
    expect(await refusal({ ...env, PORT: port }, words)).toBe(
      `Cannot listen on 127.0.0.1:${port}: the port is in use. Stop the program that has it, or set another PORT (or OPS_PORT).`,
    );
  });

  it.runIf(canBeOrdinary && hasPortsForRoot)('a port for root only', async () => {
    const { env, words } = await home(how);
    expect(await refusal({ ...env, PORT: '81' }, words)).toBe(
      'Cannot listen on 127.0.0.1:81: permission denied. Set a PORT (or OPS_PORT) above 1023, or allow this user to use it.',
    );
  });

  it.runIf(canBeOrdinary)('a data folder that it may not write to', async () => {
    const { env, words } = await home(how);
    const place = join(env.DATA_DIR, how === 'alone' ? '' : 'data');
    await chmod(env.DATA_DIR, 0o500);
    expect(await refusal({ ...env, DATA_DIR: place }, words)).toBe(
      `Cannot use ${place}: permission denied. Check the path and its permissions.`,
    );
  });

  it('a database that a newer version has changed', async () => {
    const { env, words } = await home(how);
    const { DATA_DIR: dataDir, ...rest } = env;
    expect((await inlet(['migrate'], { dataDir, env: rest })).code).toBe(0);
    const future = "INSERT INTO schema_migrations VALUES (9999, 'from_the_future', 'x', 0)";
    if ('DATABASE_URL' in env) {
      const client = new pg.Client({ connectionString: env.DATABASE_URL });
      await client.connect();
      await client.query(future).finally(() => client.end());
    } else {
      const file = new DatabaseSync(join(dataDir, 'inlet.db'));
      file.exec(future);
      file.close();
    }
    expect(await refusal(env, words)).toBe(
      'The database was written by a newer Inlet (migration 9999 "from_the_future"): update Inlet to that version or a later one.',
    );
  });

  it.runIf(canMount)('a full disk', async () => {
    const disk = await mountSmallDisk(4);
    cleanups.push(() => disk.dispose());
    const { env, words } = await home(how);
    await mkdir(join(disk.path, 'data'));
    await disk.fill();
    expect(await refusal({ ...env, DATA_DIR: join(disk.path, 'data') }, words)).toMatch(
      /^There is no space left on the disk\. Free some .+, then try again\.$/,
    );
  });
});

it.runIf(canBeOrdinary)('a restore to a folder that belongs to another user', async () => {
  const [dataDir, backup, target] = [await emptyFolder(), await emptyFolder(), await emptyFolder()];
  expect((await inlet(['migrate'], { dataDir })).code).toBe(0);
  expect((await inlet(['backup', '--with-secret', '--to', backup], { dataDir })).code).toBe(0);
  await chmod(target, 0o500);
  expect(await refusal({ DATA_DIR: target }, [backup], 'restore')).toBe(
    `User ${userInfo().username} may not write to ${target}. Check who owns the folder, and its permissions.`,
  );
});

it.runIf(canBeOrdinary).each(['inlet.db', 'inlet.lock'])('%s that it may not write to', async (name) => {
  const dataDir = await emptyFolder();
  expect((await inlet(['migrate'], { dataDir })).code).toBe(0);
  const path = join(dataDir, name);
  await writeFile(path, '', { flag: 'a' });
  await chmod(path, 0o400);
  expect(await refusal({ DATA_DIR: dataDir })).toBe(
    `Cannot use ${path}: permission denied. Check the path and its permissions.`,
  );
});
