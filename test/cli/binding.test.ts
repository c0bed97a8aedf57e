/**
 * Files belong to one database. Before that, a start with an empty database and the files of production deleted all of them as orphans
 * within a minute. These tests run on a folder and on a bucket.
 */
import { chown, cp, mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { complaints, inlet, inletJson, type Ran, until, upload } from '../support/cli.js';
import { makeForm, request } from '../support/client.js';
import { contentUrl, fetchBytes, type SentFile, sendFile } from '../support/files.js';
import { needs } from '../support/needs.js';
import {
  freePort,
  type RunningServer,
  type ServerOptions,
  startServer,
  temporaryFolder,
} from '../support/server.js';
import { bucketSettings, type ObjectStore, startObjectStore } from '../support/services/object-store.js';
import { hoursLater, hurriedUpkeep } from '../support/upkeep.js';
import { submitFiles } from '../support/upload.js';

let objects: ObjectStore;
let port: number;
/** A data folder with three files, one with its three files in a bucket, and one with an empty database. Tests use copies. */
let made: { readonly onDisk: Made; readonly inBucket: Made & { bucket: string }; readonly empty: string };
let templates: string;
beforeAll(async () => {
  [objects, port, templates] = await Promise.all([startObjectStore(), freePort(), temporaryFolder()]);
  const bucket = await objects.newBucket();
  const empty = join(templates, 'empty');
  await inletJson(['migrate'], { dataDir: empty });
  made = {
    onDisk: await make(join(templates, 'on-disk'), {}),
    inBucket: { bucket, ...(await make(join(templates, 'in-bucket'), bucketSettings(objects, bucket))) },
    empty,
  };
});
afterAll(async () => {
  await rm(templates, { recursive: true, force: true });
  await objects?.dispose();
});

interface Made {
  readonly dataDir: string;
  readonly files: readonly SentFile[];
}

async function make(dataDir: string, env: Record<string, string>): Promise<Made> {
  const server = await startServer({ port, dataDir, env });
  try {
    return { dataDir, files: await send(server, ['one', 'two', 'three']) };
  } finally {
    await server.end();
  }
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function folder(): Promise<string> {
  const path = await temporaryFolder();
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

interface Home {
  readonly dataDir: string;
  readonly env: Record<string, string>;
  /** The stored files, with the contents one, two and three. */
  readonly sent: readonly SentFile[];
  /** The content of every stored object by its name. */
  stored(): Promise<Record<string, string>>;
  /** Removes the mark of the owner, like an earlier version that wrote none. */
  forgetOwner(): Promise<void>;
  /** The same files with a new, empty database, or with no database yet. */
  withoutDatabase(): Promise<At>;
}

async function onDisk(): Promise<Home> {
  const dataDir = await folder();
  await cp(made.onDisk.dataDir, dataDir, { recursive: true });
  const files = join(dataDir, 'files');
  return {
    dataDir,
    env: {},
    sent: made.onDisk.files,
    async stored() {
      const found: Record<string, string> = {};
      for (const item of await readdir(files, { recursive: true, withFileTypes: true })) {
        if (!item.isFile()) continue;
        const path = join(item.parentPath, item.name);
        // A running server may be moving it.
        const content = await readFile(path, 'latin1').catch(() => null);
        if (content !== null) found[path.slice(files.length)] = content;
      }
      return found;
    },
    forgetOwner: () => unlink(join(files, '.instance')),
    async withoutDatabase() {
      await keepDatabase(made.empty, dataDir);
      await cp(join(made.empty, 'secret'), join(dataDir, 'secret'));
      return { dataDir, env: {} };
    },
  };
}

async function inBucket(): Promise<Home> {
  const Bucket = await objects.newBucket();
  const { endpoint, ...credentials } = objects;
  const bucket = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
  cleanups.push(async () => bucket.destroy());
  const env = bucketSettings(objects, Bucket);
  const from = made.inBucket;
  const { Contents = [] } = await bucket.send(new ListObjectsV2Command({ Bucket: from.bucket }));
  for (const { Key } of Contents)
    await bucket.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${from.bucket}/${Key}` }));
  const dataDir = await folder();
  await cp(from.dataDir, dataDir, { recursive: true });
  return {
    dataDir,
    env,
    sent: from.files,
    async stored() {
      const found: Record<string, string> = {};
      for (const { Key = '' } of (await bucket.send(new ListObjectsV2Command({ Bucket }))).Contents ?? []) {
        // A running server may be moving it.
        const got = await bucket.send(new GetObjectCommand({ Bucket, Key })).catch(() => null);
        if (got) found[Key] = (await got.Body?.transformToString('latin1')) ?? '';
      }
      return found;
    },
    async forgetOwner() {
      await bucket.send(new DeleteObjectCommand({ Bucket, Key: 'instance' }));
    },
    withoutDatabase: async () => ({ dataDir: await folder(), env, hasNoDatabase: true }),
  };
}

interface At extends Pick<Home, 'dataDir' | 'env'> {
  /** The first start creates the database. */
  readonly hasNoDatabase?: boolean;
}

/** Always on the same port, so that links stay valid. The folder is deleted after the test. */
async function serve({ dataDir, env }: At, options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ port, ...options, dataDir, env: { ...env, ...options.env } });
  cleanups.push(() => server.end('SIGKILL'));
  return server;
}

/** Starts twice if the first start creates the database. */
async function expectRefusedStart(at: At, why: RegExp): Promise<void> {
  const first = await serve(at).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(first.trimEnd().split('\n').slice(1)).toEqual([expect.stringMatching(why)]);
  if (!at.hasNoDatabase) return;
  const env = { ...at.env, HOST: '127.0.0.1', PORT: String(await freePort()) };
  const again = await inlet(['serve'], { dataDir: at.dataDir, env });
  expect([again.code, again.stdout]).toEqual([1, '']);
  expect(again.stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(why)]);
}

async function send(server: RunningServer, contents: readonly string[]): Promise<SentFile[]> {
  const sent: SentFile[] = [];
  for (const content of contents) sent.push(await sendFile(server.url, { content }));
  return sent;
}

const contentOf = async (file: SentFile): Promise<string> =>
  (await fetchBytes(await contentUrl(file))).bytes.toString();

const orphansOf = async (server: RunningServer): Promise<number> =>
  Number(/^inlet_orphans (\d+)$/m.exec((await request(`${server.url}/metrics`)).text)?.[1]);

const filesCheck = (doctor: Ran) =>
  JSON.parse(doctor.stdout).checks.find(({ name }: { name: string }) => name === 'files');

describe.each([
  ['a folder', onDisk],
  ['a bucket', inBucket],
])('files in %s', (_, makeHome) => {
  it('are not touched by an empty database: it does not start, and once they are adopted they stay', async () => {
    const home = await makeHome();
    const before = await home.stored();
    expect(Object.values(before)).toEqual(expect.arrayContaining(['one', 'two', 'three']));

    const empty = await home.withoutDatabase();
    await expectRefusedStart(
      empty,
      / holds the files of another instance\. .*orphans.* run: inlet adopt\s*$/,
    );
    const doctor = await inlet(['doctor', '--json'], empty);
    expect([doctor.code, filesCheck(doctor).state]).toEqual([1, 'fail']);
    expect(filesCheck(doctor).message).toContain('inlet adopt');
    expect(await home.stored()).toEqual(before);

    const adopted = await inletJson(['adopt'], empty);
    expect(adopted.previous).toMatch(/^[0-9a-f]{64}$/);
    expect(adopted.instance).not.toBe(adopted.previous);
    expect(await inletJson(['adopt'], empty)).toMatchObject({ previous: adopted.instance });

    // Two hours later all of them count as orphans, but they stay because they are older than the database.
    const server = await serve(empty, hoursLater(2));
    await until(
      () => orphansOf(server),
      (count) => count === 3,
    );
    expect(server.output()).toContain('inlet verify');
    const [kept] = await send(server, ['four']);
    if (kept) expect(await contentOf(kept)).toBe('four');
    const checks = JSON.parse((await inlet(['doctor', '--json'], empty)).stdout).checks;
    expect(checks).toContainEqual(expect.objectContaining({ name: 'orphans', state: 'warn' }));
    await server.end();
    expect(Object.values(await home.stored())).toEqual(expect.arrayContaining(['one', 'two', 'three']));
  });

  it('of an earlier version are claimed by the database that knows them, and by no other', async () => {
    const home = await makeHome();
    const before = await home.stored();
    await home.forgetOwner();
    const again = await serve(home);
    expect(await Promise.all(home.sent.map(contentOf))).toEqual(['one', 'two', 'three']);
    await again.end();
    expect(await home.stored()).toEqual(before);

    await home.forgetOwner();
    const unmarked = await home.stored();
    await expectRefusedStart(
      await home.withoutDatabase(),
      / holds files that this database knows nothing about\. .* run: inlet adopt\s*$/,
    );
    expect(await home.stored()).toEqual(unmarked);
  });

  it('that an older database does not know go to the trash, and come back when rows refer to them', async () => {
    const home = await makeHome();
    const older = join(await folder(), 'older');
    await cp(home.dataDir, older, { recursive: true });
    const second = await serve(home);
    const sent = await send(second, ['four', 'five']);
    await second.end();
    const newer = join(await folder(), 'newer');
    await keepDatabase(home.dataDir, newer);

    await keepDatabase(older, home.dataDir);
    const behind = await serve(home, hoursLater(2));
    await until(
      home.stored,
      (stored) => Object.keys(stored).filter((name) => /trash/.test(name)).length === 2,
    );
    await behind.end();

    await keepDatabase(newer, home.dataDir);
    const lost = await inlet(['verify', '--json'], home);
    expect(lost.code).toBe(1);
    expect(JSON.parse(lost.stdout)).toEqual({
      ...{
        rows: 5,
        files: 3,
        missing: 2,
        restored: 0,
        orphans: 0,
        young_without_row: 0,
        orphan_examples: [],
        orphans_discarded: 0,
      },
      ...{ trash: 2, trash_needed: 2 },
      missing_examples: sent.map(({ id }) => id),
      trash_examples: [expect.any(String), expect.any(String)],
    });
    const back = await inlet(['verify', '--restore'], home);
    expect([back.code, complaints(back)]).toEqual([0, '']);
    expect(back.stdout).toContain('2 files were moved back from the trash');
    expect(await inletJson(['verify'], home)).toMatchObject({ rows: 5, files: 5, missing: 0, trash: 0 });
    const again = await serve(home);
    expect(await Promise.all(sent.map(contentOf))).toEqual(['four', 'five']);
    await again.end();
  });
});

/** Replaces the database, including its log. */
async function keepDatabase(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of ['inlet.db', 'inlet.db-wal', 'inlet.db-shm']) {
    await rm(join(to, name), { force: true });
    await cp(join(from, name), join(to, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

it('a bucket that is unavailable at the start is not touched when it turns out to be of another instance', async () => {
  const home = await inBucket();
  const before = await home.stored();
  const other = await home.withoutDatabase();
  await objects.stop();
  const server = await serve(other, hurriedUpkeep).finally(() => objects.start());
  const { endpoint } = await makeForm(server.url);
  const upload = () =>
    submitFiles(endpoint, [{ field: 'upload', filename: 'a.txt', type: 'text/plain', content: 'mine' }]);
  const ready = async () => (await request(`${server.url}/readyz`)).body;
  const details = await until(ready, (body) => /another instance/.test(body.reasons?.storage));
  expect(details).toMatchObject({ status: 'ok', checks: { storage: 'failing' } });
  expect((await upload()).status).toBe(503);
  await until(server.output, (output) => output.includes('holds the files of another instance'));
  expect(await home.stored()).toEqual(before);

  expect((await inlet(['adopt'], other)).code).toBe(0);
  await until(upload, ({ status }) => status === 200);
  expect(await until(ready, (body) => body.checks.storage === 'ok')).not.toHaveProperty('reasons');
});

/** Adds files without a row, all new. */
async function strew(dataDir: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await writeFile(join(dataDir, 'files', '00', `strewn-${String(index).padStart(4, '0')}-00`), 'waste');
  }
}

it('more orphans than a crash leaves stay until they are discarded on purpose', async () => {
  const home = await onDisk();
  await strew(home.dataDir, 101);
  const server = await serve(home, hoursLater(2));
  await until(
    () => orphansOf(server),
    (count) => count === 101,
  );
  const found = await inletJson(['verify'], { ...home, env: {} });
  expect(found).toMatchObject({
    ...{ rows: 3, files: 104, missing: 0, orphans: 0, young_without_row: 101, trash: 0 },
  });
  const young = await inlet(['verify'], { ...home, env: {} });
  expect(young.stdout).toMatch(
    /^Files {4}104 with image variants, of which 0 have no row\n {9}101 without a row are younger than an hour: /m,
  );
  await server.end();
  expect(Object.keys(await home.stored()).filter((name) => name.includes('strewn'))).toHaveLength(101);

  const { NODE_OPTIONS } = { NODE_OPTIONS: hoursLater(2).nodeArguments?.join('=') ?? '' };
  const later = { dataDir: home.dataDir, env: { NODE_OPTIONS } };
  const looked = await inlet(['verify'], later);
  expect([looked.code, complaints(looked)]).toEqual([0, '']);
  expect(looked.stdout).toMatch(
    /^Files {4}104 with image variants, of which 101 have no row\n( {9}strewn-\S+\n){20} {9}and 81 more\n/m,
  );
  expect(await inletJson(['verify', '--discard-orphans'], later)).toMatchObject({
    ...{ files: 104, orphans: 101, orphans_discarded: 101, trash: 101, trash_needed: 0 },
  });
  const again = await serve(home, hoursLater(2));
  const doctor = () => inlet(['doctor', '--json'], home);
  await until(doctor, ({ stdout }) => !stdout.includes('"orphans"'));
  expect(await orphansOf(again)).toBe(0);
  await again.end();
});

it.runIf(needs('root', process.geteuid?.() === 0))(
  'an adoption by root leaves the files to the user of the service',
  async () => {
    const home = await onDisk();
    const files = join(home.dataDir, 'files');
    await writeFile(join(files, '.instance'), 'another\n');
    await chown(files, 65_534, 65_533);
    await inletJson(['adopt'], home);
    const { uid, gid, mode } = await stat(join(files, '.instance'));
    expect([uid, gid, mode & 0o777]).toEqual([65_534, 65_533, 0o600]);
  },
);

it('an upload gets 503 while the folder of files is gone, and is stored once it is back', async () => {
  const home = await onDisk();
  const server = await serve(home);
  const { endpoint } = await makeForm(server.url);
  const files = join(home.dataDir, 'files');
  await rename(files, `${files}-elsewhere`);
  // Small files are written by a separate thread.
  for (const content of ['small', 'x'.repeat(1_000_000)]) {
    const refused = await upload(endpoint, content);
    expect([refused.status, refused.headers.get('retry-after')], refused.text).toEqual([
      503,
      expect.any(String),
    ]);
  }
  await rename(`${files}-elsewhere`, files);
  expect((await upload(endpoint, 'small')).status).toBe(200);
});

it('uploads that a crash cut off do not keep an older data folder from starting', async () => {
  const home = { dataDir: await folder(), env: {} };
  await (await serve(home)).end();
  const owner = join(home.dataDir, 'files', '.instance');
  await unlink(owner);
  await strew(home.dataDir, 3);
  await (await serve(home)).end();
  expect((await stat(owner)).isFile()).toBe(true);
});

it('a backup, a restore and a copy carry the owner along', async () => {
  const home = await onDisk();
  const backup = join(await folder(), 'backup');
  await inletJson(['backup', '--to', backup, '--with-secret'], home);
  const restored = join(await folder(), 'restored');
  await inletJson(['restore', backup], { dataDir: restored });
  const copied = join(await folder(), 'copied');
  await inletJson(['copy', '--from', restored, '--to', copied], home);
  const ownerOf = (dataDir: string): Promise<string> => readFile(join(dataDir, 'files', '.instance'), 'utf8');
  const owner = await ownerOf(home.dataDir);
  for (const place of [backup, restored, copied]) expect(await ownerOf(place), place).toBe(owner);

  // A folder claimed by another instance is rejected, even if it is empty.
  const claimed = await folder();
  await mkdir(join(claimed, 'files'));
  await writeFile(join(claimed, 'files', '.instance'), 'another\n');
  const target = join(await folder(), 'target');
  const refused = await inlet(['copy', '--from', restored, '--to', target, '--to-files', claimed], home);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('holds the files of another instance');
});

it('a lost database leaves its log and its files alone, and everything is there when it is back', async () => {
  const home = await onDisk();
  const server = await serve(home);
  const [file] = await send(server, ['one']);
  await server.end('SIGKILL');
  const [database, log] = ['inlet.db', 'inlet.db-wal'].map((name) => join(home.dataDir, name));
  const elsewhere = join(await folder(), 'inlet.db');
  await cp(database ?? '', elsewhere);
  await unlink(database ?? '');
  const [before, logged] = [await home.stored(), await readFile(log ?? '')];
  for (const words of [['serve'], ['migrate'], ['doctor'], ['verify']]) {
    const { code, stdout, stderr } = await inlet(words, home);
    expect([words, code]).toEqual([words, 1]);
    expect(stdout + stderr).toContain('inlet.db is missing in ');
  }
  expect((await readFile(log ?? '')).equals(logged)).toBe(true);
  await unlink(log ?? '');
  const filesOnly = await inlet(['serve'], home);
  expect([filesOnly.code, filesOnly.stderr]).toEqual([1, expect.stringContaining('but its files are there')]);
  expect(await home.stored()).toEqual(before);

  await cp(elsewhere, database ?? '');
  await writeFile(log ?? '', logged);
  const again = await serve(home);
  if (file) expect(await contentOf(file)).toBe('one');
  await again.end();
});

it('files that vanished are reported, and are not begun anew', async () => {
  const home = await onDisk();
  const server = await serve(home);
  const [file] = home.sent;
  const [files, elsewhere] = [join(home.dataDir, 'files'), join(await folder(), 'files')];
  await rename(files, elsewhere);
  const ready = async () => (await request(`${server.url}/readyz`)).body;
  await until(ready, (body) => body.checks.storage === 'failing');
  const doctor = await inlet(['doctor', '--json'], home);
  expect([doctor.code, filesCheck(doctor).state]).toEqual([1, 'fail']);
  // Like a mount point without its volume.
  await cp(elsewhere, files, { recursive: true, filter: (path) => !/[0-9a-f]{8}-|\.instance$/.test(path) });
  await until(ready, (body) => /is empty, but the database knows stored files/.test(body.reasons?.storage));
  const { endpoint } = await makeForm(server.url);
  const upload = { field: 'upload', filename: 'a.txt', type: 'text/plain', content: 'mine' };
  expect((await submitFiles(endpoint, [upload])).status).toBe(503);

  await rm(files, { recursive: true });
  await rename(elsewhere, files);
  await until(ready, (body) => body.checks.storage === 'ok');
  if (file) expect(await contentOf(file)).toBe('one');
  await server.end();
});

it('a start without the stored files is refused, and goes on without them when they are given up', async () => {
  const home = await onDisk();
  await rm(join(home.dataDir, 'files'), { recursive: true });
  const { code, stderr } = await inlet(['serve'], home);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/is empty, but the database knows stored files\. .*inlet adopt\n$/),
  ]);
  expect((await inlet(['adopt'], home)).code).toBe(0);
  await (await serve(home)).end();
});
