/** Several backups in one folder or bucket, encrypted or not: the oldest are deleted, and an unfinished one never counts as complete. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inlet, inletJson, upload, withoutProgress } from '../support/cli.js';
import { makeForm } from '../support/client.js';
import { blobsOnDisk } from '../support/data-folder.js';
import {
  entry,
  plainEnvironment,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../support/server.js';
import { type ObjectStore, startObjectStore } from '../support/services/object-store.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
async function folder(): Promise<string> {
  const path = await temporaryFolder();
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

let server: RunningServer;
/** The temporary folder of the commands. They must leave nothing in it. */
let temporary: string;
/** Together more than one part of an upload, which is 16 MiB. */
const [files, bytes] = [3, 6_000_000];
beforeAll(async () => {
  temporary = await temporaryFolder();
  server = await startServer();
  const { endpoint } = await makeForm(server.url);
  for (let i = 0; i < files; i += 1) {
    expect((await upload(endpoint, randomBytes(bytes / 2).toString('hex'))).status).toBe(200);
  }
});
afterAll(async () => {
  await server?.dispose();
  await rm(temporary, { recursive: true, force: true });
});

const options = (env: Record<string, string> = {}) => ({
  dataDir: server.dataDir,
  env: { TMPDIR: temporary, ...env },
});
const backUp = (words: readonly string[], env: Record<string, string> = {}) =>
  inletJson(['backup', '--with-secret', ...words], options(env));

/** Runs until it kills itself. */
async function killedBackup(words: readonly string[], hook: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--import', hook, entry, 'backup', '--with-secret', ...words], {
    env: { ...plainEnvironment(), DATA_DIR: server.dataDir, TMPDIR: temporary, ...env },
    stdio: 'ignore',
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}
const atFile = (number: number): string =>
  new URL(`../support/copy-kill-hook.mjs?file=${number}`, import.meta.url).href;
const whenItSends = (text: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import { Socket } from 'node:net';
    const write = Socket.prototype.write;
    Socket.prototype.write = function (chunk, ...rest) {
      if (Buffer.from(chunk).includes(${JSON.stringify(text)})) process.kill(process.pid, 'SIGKILL');
      return write.call(this, chunk, ...rest);
    };`)}`;

async function restored(
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<readonly string[]> {
  const dataDir = join(await folder(), 'data');
  const done = await inletJson(['restore', ...words], { dataDir, env: { TMPDIR: temporary, ...env } });
  expect(done).toMatchObject({ files, files_missing: [], files_damaged: [] });
  return blobsOnDisk(dataDir);
}

const ourNames = async (shelf: string): Promise<string[]> =>
  (await readdir(shelf)).filter((name) => !name.startsWith('inlet.lock')).sort();

describe('backups in a folder', () => {
  it('are kept to the newest ones, which alone are counted, and nothing else there is touched', async () => {
    const shelf = join(await folder(), 'shelf');
    const first = await backUp(['--to', shelf, '--keep', '2']);
    expect(first).toMatchObject({ removed: [], encrypted: false });
    expect(await ourNames(first.folder)).toEqual(['files', 'inlet.db', 'made-by-inlet-backup', 'secret']);
    // Looks like an old backup, but this instance did not make it.
    const foreign = 'inlet-backup-2001-01-01T00-00-00-000Z';
    await mkdir(join(shelf, foreign));
    await writeFile(join(shelf, foreign, 'inlet.db'), 'mine');
    await writeFile(join(shelf, `${foreign}.tar.enc`), 'mine');
    await writeFile(join(shelf, 'thesis.txt'), 'mine');

    await killedBackup(['--to', shelf, '--keep', '2'], atFile(2));
    const [, , , partial = ''] = await ourNames(shelf);
    expect(await readdir(join(shelf, partial))).toContain('unfinished');
    await expect(restored([join(shelf, partial)])).rejects.toThrow('is no backup: there is no inlet.db');

    const second = await backUp(['--to', shelf, '--keep', '2']);
    expect(second.removed).toEqual([]);
    await expect(stat(join(shelf, partial))).rejects.toThrow('ENOENT');
    const third = await backUp(['--to', shelf, '--keep', '2']);
    expect(third.removed).toEqual([first.folder.split('/').at(-1)]);
    const left = [second, third].map(({ folder: path }) => path.split('/').at(-1));
    expect(await ourNames(shelf)).toEqual([foreign, `${foreign}.tar.enc`, ...left, 'thesis.txt']);
    await expect(restored([shelf])).rejects.toThrow(
      `Name one of the backups there, the newest first: ${[...left].reverse().join(', ')}\n`,
    );
    expect(await restored([third.folder])).toEqual(blobsOnDisk(server.dataDir));
  });

  it('leave the older ones alone when the new one lacks a file, and record no success', async () => {
    const shelf = join(await folder(), 'shelf');
    await backUp(['--to', shelf, '--keep', '1']);
    const [key = ''] = blobsOnDisk(server.dataDir);
    const path = join(server.dataDir, 'files', key.slice(-2), key);
    const bytes = await readFile(path);
    await rm(path);
    try {
      const before = await inletJson(['doctor'], options());
      const harmed = await inlet(['backup', '--to', shelf, '--keep', '1', '--json'], options());
      expect([harmed.code, JSON.parse(harmed.stdout).removed]).toEqual([1, []]);
      expect(await ourNames(shelf)).toHaveLength(2);
      const lineOf = ({ checks }: { checks: readonly { name: string; state: string }[] }) =>
        checks.find(({ name }) => name === 'last backup');
      expect(lineOf(before)).toMatchObject({ state: 'ok' });
      expect(lineOf(await inletJson(['doctor'], options()))).toEqual(lineOf(before));
    } finally {
      await writeFile(path, bytes);
    }
  });

  it('are encrypted with a key, and restored with no other', async () => {
    const [home, shelf] = [await folder(), join(await folder(), 'shelf')];
    const [key, otherKey] = [join(home, 'key'), join(home, 'other')];
    await writeFile(key, `${randomBytes(32).toString('hex')}\n`);
    await writeFile(otherKey, randomBytes(32));
    const done = await backUp(['--to', shelf, '--keep', '1', '--encrypt-to-key', key]);
    const next = await backUp(['--to', shelf, '--keep', '1', '--encrypt-to-key', key]);
    expect(next).toMatchObject({ encrypted: true, removed: [done.folder.split('/').at(-1)] });
    expect(next.folder).toMatch(/\.tar\.enc$/);
    expect((await stat(next.folder)).mode & 0o777).toBe(0o600);
    expect(await restored([next.folder, '--key', key])).toEqual(blobsOnDisk(server.dataDir));

    const dataDir = join(home, 'data');
    const refused = async (words: readonly string[]): Promise<string> => {
      const ran = withoutProgress(
        await inlet(['restore', ...words], { dataDir, env: { TMPDIR: temporary } }),
      );
      expect(ran.code).toBe(1);
      return ran.stderr;
    };
    expect(await refused([next.folder])).toBe(
      'The backup is encrypted. Name the file with its key: --key FILE\n',
    );
    expect(await refused([next.folder, '--key', otherKey])).toContain('another key');
    const cut = join(home, 'cut.tar.enc');
    await writeFile(cut, (await readFile(next.folder)).subarray(0, -70_000));
    expect(await refused([cut, '--key', key])).toContain('The backup cannot be read');
    await writeFile(otherKey, 'short');
    expect(await refused([next.folder, '--key', otherKey])).toContain('holds no key');
    await expect(stat(dataDir)).rejects.toThrow('ENOENT');
    expect(await readdir(temporary)).toEqual([]);
  });

  it('need sensible options', async () => {
    const wrong = async (words: readonly string[]) => {
      const { code, stderr } = await inlet(['backup', ...words], options());
      return [code, stderr.split('\n')[0]];
    };
    expect(await wrong([])).toEqual([2, '--to is missing.']);
    expect(await wrong(['--to', 'x', '--keep', '0'])).toEqual([
      2,
      '--keep "0" is not a whole number from 1.',
    ]);
    expect(await wrong(['--record', '--to', 'x'])).toEqual([
      2,
      '--record backs nothing up: leave the other options out.',
    ]);
    expect(await wrong(['--to', 's3://u:p@bucket/x'])).toEqual([
      2,
      expect.stringContaining('--to carries credentials'),
    ]);
  });
});

describe('backups in a bucket', () => {
  let store: ObjectStore;
  beforeAll(async () => {
    store = await startObjectStore();
  });
  afterAll(() => store?.dispose());

  it('are whole or not there, kept to the newest, encrypted, and restored', async () => {
    const env = { AWS_ACCESS_KEY_ID: store.accessKeyId, AWS_SECRET_ACCESS_KEY: store.secretAccessKey };
    const bucket = await store.newBucket();
    const query = `?endpoint=${store.endpoint}&region=us-east-1`;
    const to = `s3://${bucket}/inlet/daily${query}`;
    const words = ['--to', to, '--keep', '1'];
    await killedBackup(words, whenItSends('partNumber=2'), env);
    await rm(temporary, { recursive: true });
    await mkdir(temporary);
    await expect(restored([to], env)).rejects.toThrow('There is no backup at that address of the bucket.');

    const first = await backUp(words, env);
    expect(first.folder).toMatch(
      new RegExp(`^s3://${bucket}/inlet/daily/inlet-backup-[0-9TZ-]+\\.tar\\?endpoint=`),
    );
    await expect(restored([to], env)).rejects.toThrow('Name one of the backups there');
    expect(await restored([first.folder], env)).toEqual(blobsOnDisk(server.dataDir));

    const key = join(await folder(), 'key');
    await writeFile(key, randomBytes(32));
    const second = await backUp([...words, '--encrypt-to-key', key], env);
    expect(second.removed).toEqual([new URL(first.folder).pathname.split('/').at(-1)]);
    expect(await restored([second.folder, '--key', key], env)).toEqual(blobsOnDisk(server.dataDir));
    await expect(restored([first.folder], env)).rejects.toThrow();
    expect(await readdir(temporary)).toEqual([]);
  });
});
