import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readMigrations } from '#inlet/adapters/sql/migrate.js';
import { complaints, inlet, inletJson, withoutProgress } from '../support/cli.js';
import { client } from '../support/client.js';
import { blobsOnDisk } from '../support/data-folder.js';
import type { InstanceImage } from '../support/instance-image.js';
import {
  fillForMoving,
  imageOfAll,
  type MovedInstance,
  stillEnvironment,
} from '../support/moved-instance.js';
import {
  entry,
  freePort,
  plainEnvironment,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../support/server.js';
import { deliveriesOf } from '../support/webhooks.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function folder(): Promise<string> {
  const path = await temporaryFolder();
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

let port: number;
/** The served folder and its backup. No test changes them. */
let home: string;
let backup: string;
let made: MovedInstance;
let image: InstanceImage;

const serve = (dataDir: string): Promise<RunningServer> =>
  startServer({ dataDir, port, env: stillEnvironment });

beforeAll(async () => {
  port = await freePort();
  home = await temporaryFolder();
  backup = join(home, 'backup');
  const first = await serve(join(home, 'data'));
  try {
    made = await fillForMoving(first);
  } finally {
    // Stopping writes the counts that are in memory. A backup has only what is stored.
    await first.end();
  }
  const server = await serve(join(home, 'data'));
  try {
    await inletJson(['backup', '--to', backup, '--with-secret'], { dataDir: server.dataDir });
    image = await imageOfAll(server.url, made);
  } finally {
    await server.end();
  }
}, 240_000);
afterAll(async () => {
  await made?.receiver.close();
  await rm(home, { recursive: true, force: true });
});

const names = async (path: string): Promise<string[]> =>
  (await readdir(path)).filter((name) => !name.startsWith('inlet.lock')).sort();

describe('a restored backup', () => {
  it('is the instance as it was, with --send-pending', async () => {
    const dataDir = join(await folder(), 'new', 'data');
    const done = await inletJson(['restore', backup, '--send-pending'], { dataDir });
    expect(done).toMatchObject({
      folder: dataDir,
      accounts: 2,
      files_missing: [],
      files_damaged: [],
      migrated: [],
      pending_are: 'sent',
    });
    expect(done.pending.webhooks).toBeGreaterThan(5);
    expect(done.pending.mails).toBeGreaterThan(5);
    expect(await names(dataDir)).toEqual(['files', 'inlet.db', 'secret']);
    expect(await names(backup)).toEqual(['files', 'inlet.db', 'secret']);
    expect((await stat(join(dataDir, 'inlet.db'))).mode & 0o777).toBe(0o600);
    const server = await serve(dataDir);
    try {
      expect(await imageOfAll(server.url, made)).toEqual(image);
    } finally {
      await server.end();
    }
  }, 240_000);

  it('sends nothing of what was pending, and says so to those who look', async () => {
    const dataDir = await folder();
    const done = withoutProgress(await inlet(['restore', backup], { dataDir }));
    expect([done.code, complaints(done)]).toEqual([0, '']);
    expect(done.stdout).toMatch(
      /^Restored {2}\S+\nHolds {5}2 accounts, .+\nPending {3}\d+ webhooks, \d+ mails: held\n {10}They may have been sent .+\nStart {5}DATA_DIR=\S+ inlet serve\n$/,
    );
    const server = await serve(dataDir);
    try {
      const api = client(server.url);
      const [delivery] = await deliveriesOf(api, made.submissionId);
      expect(delivery).toMatchObject({ state: 'failed', next_attempt_at: null });
      expect(delivery?.attempts.at(-1)).toMatchObject({
        number: 2,
        status: null,
        error: expect.stringMatching(/^held: Restored from a backup, and not sent/),
      });
      const again = await api.post('/api/v1/deliveries/replay', { form_id: made.formId, dry_run: true });
      expect(again.body.count).toBeGreaterThan(5);
    } finally {
      await server.end();
    }
  });

  it('of an older version is brought up to date', async () => {
    const old = await folder();
    const db = new DatabaseSync(join(old, 'inlet.db'));
    db.exec(
      'CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT, checksum TEXT, applied_at BIGINT)',
    );
    const [first, ...later] = await readMigrations('sqlite');
    db.exec(first?.text ?? '');
    const { number = 0, name = '', checksum = '' } = first ?? {};
    db.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, 0)').run(number, name, checksum);
    db.close();
    await cp(join(backup, 'secret'), join(old, 'secret'));
    const dataDir = await folder();
    const done = await inletJson(['restore', old], { dataDir });
    expect(done.migrated).toEqual(later.map((migration) => migration.name));
    expect((await inlet(['doctor'], { dataDir })).code).toBe(0);
  });

  it('tells which files are missing or damaged', async () => {
    const harmed = await folder();
    await cp(backup, harmed, { recursive: true });
    const staging = join(harmed, 'files', '.staging');
    await rm(staging, { recursive: true });
    const [gone = '', broken = ''] = blobsOnDisk(harmed).map((key) =>
      join(harmed, 'files', key.slice(-2), key),
    );
    await unlink(gone);
    await writeFile(broken, 'x'.repeat((await stat(broken)).size));
    const dataDir = await folder();
    const done = await inlet(['restore', harmed, '--json'], { dataDir });
    expect(done.code).toBe(1);
    const told = JSON.parse(done.stdout);
    expect([told.files_missing.length, told.files_damaged.length]).toEqual([1, 1]);
    expect(done.stderr).toContain(
      `Files that have no bytes in the backup (1):\n  ${told.files_missing[0]}\n`,
    );
    expect(blobsOnDisk(dataDir)).toHaveLength(blobsOnDisk(backup).length - 2);
    // A backup may be read-only: nothing is created in it.
    await expect(stat(staging)).rejects.toThrow('ENOENT');
  });

  it('that was cut off leaves nothing that is served by mistake, and begins anew', async () => {
    const dataDir = await folder();
    const hook = new URL('../support/copy-kill-hook.mjs?file=3', import.meta.url);
    const child = spawn(process.execPath, ['--import', hook.href, entry, 'restore', backup], {
      env: { ...plainEnvironment(), DATA_DIR: dataDir },
      stdio: 'ignore',
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(await names(dataDir)).toEqual(['restoring']);
    expect((await inlet(['restore', backup], { dataDir })).code).toBe(0);
    expect(await names(dataDir)).toEqual(['files', 'inlet.db', 'secret']);
  });
});

describe('what a restore refuses', () => {
  const refused = async (words: readonly string[], dataDir: string, env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = withoutProgress(await inlet(['restore', ...words], { dataDir, env }));
    expect(stdout).toBe('');
    return [code, stderr];
  };

  it('overwriting anything', async () => {
    const dataDir = await folder();
    await writeFile(join(dataDir, 'thesis.txt'), 'mine');
    expect(await refused([backup], dataDir)).toEqual([
      1,
      `${dataDir} is not empty (thesis.txt). Set DATA_DIR to a new folder: a restore never overwrites.\n`,
    ]);
    expect(await readFile(join(dataDir, 'thesis.txt'), 'utf8')).toBe('mine');
    expect(await refused([backup], backup)).toEqual([1, expect.stringMatching(/ is not empty \(files\)\. /)]);
  });

  it('what is no backup, a damaged one, and one whose secret is missing or another', async () => {
    const empty = await folder();
    const dataDir = join(await folder(), 'data');
    expect(await refused([], dataDir)).toEqual([2, 'BACKUP is missing.\nSee: inlet restore --help\n']);
    expect(await refused([empty], dataDir)).toEqual([
      1,
      `${empty} is no backup: there is no inlet.db in it.\n`,
    ]);
    await cp(join(backup, 'inlet.db'), join(empty, 'inlet.db'));
    expect(await refused([empty], dataDir)).toEqual([
      1,
      expect.stringMatching(/ has no secret, .+ or set INLET_SECRET to its content, then restore again\.\n$/),
    ]);
    expect(await refused([empty], dataDir, { INLET_SECRET: 'not the secret of this backup 123' })).toEqual([
      1,
      expect.stringMatching(/^The secret does not open what is stored\. .+\n$/),
    ]);
    const bytes = await readFile(join(empty, 'inlet.db'));
    await writeFile(join(empty, 'inlet.db'), bytes.fill(7, 4 * 4096, bytes.length - 4096));
    await cp(join(backup, 'secret'), join(empty, 'secret'));
    const [code, text] = await refused([empty], dataDir);
    expect(code).toBe(1);
    expect(String(text).split('\n').length, String(text)).toBe(2);
    // Nothing was left behind, so the next attempt finds an empty folder.
    expect(await names(dataDir)).toEqual([]);
    expect((await inlet(['restore', backup], { dataDir })).code).toBe(0);
  });

  it('DATABASE_URL, as a backup does, and says what to do', async () => {
    const dataDir = join(await folder(), 'data');
    const env = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' };
    expect(await refused([backup], dataDir, env)).toEqual([
      1,
      expect.stringContaining('inlet copy --from BACKUP_FOLDER'),
    ]);
    const asked = await inlet(['backup', '--to', dataDir], { dataDir, env });
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('pg_dump')]);
    expect(asked.stderr).toContain('inlet copy --from');
  });
});
