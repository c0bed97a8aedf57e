import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { complaints, inlet, inletJson, type Ran, withoutProgress } from '../support/cli.js';
import { client, submitJson } from '../support/client.js';
import { signIn } from '../support/dashboard.js';
import { blobsOnDisk } from '../support/data-folder.js';
import type { InstanceImage } from '../support/instance-image.js';
import {
  fillForMoving,
  imageOfAll,
  type MovedInstance,
  owner,
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
import { type ObjectStore, startObjectStore } from '../support/services/object-store.js';
import { newDatabase } from '../support/services/postgres.js';
import { becomes, deliveriesOf, signatureOf } from '../support/webhooks.js';

const cleanups: (() => Promise<unknown>)[] = [];
const cleanUp = async (): Promise<void> => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
};
afterEach(cleanUp);

async function folder(): Promise<string> {
  const path = await temporaryFolder();
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function database(): Promise<string> {
  const made = await newDatabase(inject('services').databaseUrl);
  cleanups.push(made.drop);
  return made.url;
}

let objectStore: ObjectStore | null = null;
afterAll(() => objectStore?.dispose());

async function bucket(): Promise<{ storageUrl: string; env: Record<string, string> }> {
  objectStore ??= await startObjectStore();
  const { endpoint, accessKeyId, secretAccessKey } = objectStore;
  const name = await objectStore.newBucket();
  return {
    storageUrl: `s3://${name}?endpoint=${endpoint}&region=us-east-1`,
    env: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
  };
}

/** The source of all copies. No test changes it. */
let source: string;
let port: number;
let made: MovedInstance;
let image: InstanceImage;

/** Fills the tables about mails to visitors, which otherwise need a mail server. */
function fillMailTables(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'inlet.db'));
  const day = Math.floor(Date.now() / 86_400_000);
  db.exec(`INSERT INTO suppressed_addresses SELECT '019a2b3c-0000-7000-8000-000000000001', id, '', 'zoe@example.org', 'bounced', '5.1.1 Größe', 1 FROM accounts LIMIT 1;
    INSERT INTO accounts (id, name, plan, created_at) VALUES ('019a2b3c-0000-7000-8000-000000000003', 'Another', 'starter', 1);
    INSERT INTO identity_providers VALUES ('p', '019a2b3c-0000-7000-8000-000000000003', 'sealed', '[]', 0, 1, 1);
    INSERT INTO logins VALUES ('l', NULL, 1);
    INSERT INTO identities SELECT 'p', 'zoe', id FROM users LIMIT 1;
    INSERT INTO authenticators VALUES ('l', 'sealed', 1, 2, 3);
    INSERT INTO recovery_codes VALUES ('l', 'hash');
    INSERT INTO passkeys VALUES ('passkey', 'l', 'Größe', 'key', 0, 1, NULL);
    INSERT INTO erasures SELECT '019a2b3c-0000-7000-8000-000000000002', id, '{"kind":"email","tokens":[]}', 'hash', NULL, 'finished', 'notes', '', '{}', 0, 1, 2 FROM accounts LIMIT 1;
    INSERT INTO erasure_items VALUES ('019a2b3c-0000-7000-8000-000000000002', 'submission', 'a');
    INSERT INTO mail_counts VALUES ('reply form', ${day}, 3);
    INSERT INTO mail_permits VALUES ('a', ${day});
    INSERT INTO opt_ins VALUES ('a', 'b', 'zoe@example.org', 'de', 1, 2, 3, '127.0.0.1', 'Größe 日本');`);
  db.close();
}

/** Of the erasure above. The list of erasures lies beside the files, so that a restored database does not lose it. */
const noteIn = (dataDir: string): string =>
  join(dataDir, 'files', '.notes', '019a2b3c-0000-7000-8000-000000000002');
const note = '{"id":"019a2b3c-0000-7000-8000-000000000002"}';

async function serve(dataDir: string, env: Record<string, string> = {}): Promise<RunningServer> {
  return startServer({ dataDir, port, env: { ...stillEnvironment, ...env } });
}

/** Runs `work` against a server on the source, then stops the server. */
async function whileServed<T>(work: (server: RunningServer) => Promise<T>): Promise<T> {
  const server = await serve(source);
  return work(server).finally(() => server.end());
}

beforeAll(async () => {
  port = await freePort();
  source = await temporaryFolder();
  made = await whileServed(fillForMoving);
  fillMailTables(source);
  await mkdir(dirname(noteIn(source)));
  await writeFile(noteIn(source), note);
  image = await whileServed(({ url }) => imageOfAll(url, made));
}, 240_000);
afterAll(async () => {
  await made?.receiver.close();
  await rm(source, { recursive: true, force: true });
});

const copy = async (words: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  withoutProgress(await inlet(['copy', ...words], { dataDir: 'nowhere', env }));

/** A hash of every file in the folder, to detect any change to the source. */
async function bytesOf(path: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const item of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!item.isFile() || item.name === 'inlet.lock') continue;
    const file = join(item.parentPath, item.name);
    found[file.slice(path.length)] = createHash('sha256')
      .update(await readFile(file))
      .digest('hex');
  }
  return found;
}

function rowsOf(dataDir: string, text: string): Record<string, unknown>[] {
  const db = new DatabaseSync(join(dataDir, 'inlet.db'), { readOnly: true });
  try {
    return db.prepare(text).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

async function inPostgres(url: string, text: string): Promise<void> {
  const db = new Client({ connectionString: url });
  await db.connect();
  await db.query(text).finally(() => db.end());
}

/** As shown in messages, without credentials. */
const shown = (url: string): string => url.replace(/\/\/[^@]+@/, '//***@');

/** Owners see the same data and can sign in, and deliveries are signed as before. */
async function expectSame(dataDir: string, env: Record<string, string> = {}): Promise<void> {
  const server = await serve(dataDir, env);
  try {
    expect(await imageOfAll(server.url, made)).toEqual(image);
    expect((await signIn(server, owner)).status).toBe(200);
    const api = client(server.url);
    const repeated = await submitJson(
      made.endpoint,
      { note: 'findme', big: 'x'.repeat(900_000) },
      { 'idempotency-key': encodeURIComponent(made.idempotencyKey) },
    );
    expect(repeated.body.submission_id).toBe(made.submissionId);

    const before = made.receiver.requests.length;
    expect((await api.post(`/api/v1/submissions/${made.submissionId}/retry-webhook`)).status).toBe(202);
    await becomes(
      () => deliveriesOf(api, made.submissionId),
      ([delivery]) => delivery?.attempts.length === 2,
    );
    const [again] = made.receiver.requests.slice(before);
    expect(again?.headers.get('x-webhook-signature')).toBe(
      signatureOf(again?.body ?? Buffer.alloc(0), made.secret),
    );

    // New rows come after the copied ones, in lists and in the search.
    const fresh = await submitJson(made.endpoint, { note: 'findme last' });
    const found = await api.get(`/api/v1/forms/${made.formId}/submissions?q=findme`);
    expect(found.body.data[0].id).toBe(fresh.body.submission_id);
    expect(found.body.data).toHaveLength(3);
  } finally {
    await server.end();
  }
}

describe('copying an instance', () => {
  it('from folder to folder gives the same instance, and leaves the source as it was', async () => {
    const before = await bytesOf(source);
    const target = join(await folder(), 'new', 'data');
    const done = await inletJson(['copy', '--from', source, '--to', target], { dataDir: 'nowhere' });
    expect(done).toMatchObject({
      to: { database: target, files: target },
      resumed: false,
      files_missing: [],
      files_damaged: [],
      files_stay: false,
      settings: { DATA_DIR: target },
    });
    expect(done.tables.submissions.rows).toBeGreaterThan(10);
    // `mails` only has rows of processes of the previous release until they are moved, and `form_days` has counts older than two months.
    const mayBeEmpty = ['spent_challenges', 'mails', 'form_days', 'redactions'];
    for (const [table, { rows }] of Object.entries<{ rows: number }>(done.tables)) {
      if (!mayBeEmpty.includes(table)) expect(rows, table).toBeGreaterThan(0);
    }
    expect(await bytesOf(source)).toEqual(before);
    expect((await stat(join(target, 'secret'))).mode & 0o777).toBe(0o600);
    expect(blobsOnDisk(target)).toHaveLength(done.files);
    expect(await readFile(noteIn(target), 'utf8')).toBe(note);
    await expectSame(target);
  }, 240_000);

  it('to PostgreSQL and S3, and back, gives the same instance', async () => {
    const url = await database();
    const { storageUrl, env: keys } = await bucket();
    // Read from a file, so that the password is on no command line.
    const urlFile = join(await folder(), 'database-url');
    await writeFile(urlFile, `${url}\n`);
    const there = await copy(['--from', source, '--to', `@${urlFile}`, '--to-files', storageUrl], keys);
    expect([there.code, complaints(there)]).toEqual([0, '']);
    expect(there.stdout).toContain(`INLET_SECRET  what is in ${join(source, 'secret')}\n`);
    const secret = (await readFile(join(source, 'secret'), 'utf8')).trim();
    expect(there.stdout).not.toContain(secret);
    const env = { ...keys, INLET_SECRET: secret };

    const back = join(await folder(), 'back');
    const returned = await copy(['--from', url, '--from-files', storageUrl, '--to', back, '--json'], env);
    expect([returned.code, complaints(returned)]).toEqual([0, '']);
    expect(returned.json().settings).toEqual({ DATA_DIR: back, INLET_SECRET: 'the same as now' });
    expect(await readFile(noteIn(back), 'utf8')).toBe(note);
    await expectSame(await folder(), { ...env, DATABASE_URL: url, STORAGE_URL: storageUrl });
    await expectSame(back, env);
  }, 240_000);

  it('leaves files where they are when both ends share their place', async () => {
    const url = await database();
    const home = await folder();
    await cp(source, home, { recursive: true });
    const done = await inletJson(['copy', '--from', home, '--to', url, '--to-files', home], {
      dataDir: 'nowhere',
    });
    expect(done).toMatchObject({ files_stay: true, files_missing: [] });
    await expectSame(home, { DATABASE_URL: url });
  }, 240_000);

  it('tells which files the source has no longer or damaged, and copies the rest', async () => {
    const home = await folder();
    await cp(source, home, { recursive: true });
    const staging = join(home, 'files', '.staging');
    await rm(staging, { recursive: true });
    const [gone = '', broken = ''] = rowsOf(
      home,
      'SELECT id, blob_key FROM files WHERE deleted_at IS NULL ORDER BY id',
    ).map(({ blob_key }) => join(home, 'files', String(blob_key).slice(-2), String(blob_key)));
    await unlink(gone);
    const { size } = await stat(broken);
    await writeFile(broken, 'x'.repeat(size));
    const target = join(await folder(), 'copy');
    const done = await copy(['--from', home, '--to', target, '--json']);
    expect(done.code).toBe(1);
    const told = JSON.parse(done.stdout);
    expect([told.files_missing, told.files_damaged]).toEqual([[expect.any(String)], [expect.any(String)]]);
    expect(done.stderr).toContain(
      `Files that have no bytes at the source, and so none in the copy (1):\n  ${told.files_missing[0]}\n`,
    );
    expect(blobsOnDisk(target)).toHaveLength(blobsOnDisk(home).length - 1);
    // A source may be read-only: nothing is created in it.
    await expect(stat(staging)).rejects.toThrow('ENOENT');
    // The copy is complete all the same.
    expect((await inlet(['accounts', 'list'], { dataDir: target })).code).toBe(0);
  });
});

/** Runs until it kills itself at this point. */
async function killedCopy(words: readonly string[], point: string): Promise<void> {
  const hook = new URL(`../support/copy-kill-hook.mjs?${point}`, import.meta.url);
  const child = spawn(process.execPath, ['--import', hook.href, entry, 'copy', ...words], {
    env: plainEnvironment(),
    stdio: 'ignore',
  });
  expect(await once(child, 'exit'), point).toEqual([null, 'SIGKILL']);
}

describe('a copy that was killed', () => {
  /** Each run resumes where the one before it was killed, so each point is further along. */
  const points = [
    'mark=1',
    'mark=1&after=1',
    'mark=2',
    'mark=3&after=1',
    'mark=5',
    'mark=4&after=1',
    'file=2',
    'file=3',
    'end=1',
    'end=1&after=1',
  ];

  /** One right after the start, one in the middle of the files, and one where only the end is missing. */
  const looks = ['mark=1&after=1', 'file=2', 'end=1'];

  it('goes on where it was, whatever the moment, and is served only when it is whole', async () => {
    const target = join(await folder(), 'copy');
    const words = ['--from', source, '--to', target];
    for (const point of points.slice(0, -1)) {
      await killedCopy(words, point);
      if (!looks.includes(point)) continue;
      const early = await inlet(['serve'], { dataDir: target, env: { PORT: String(port) } });
      expect([early.code, early.stderr], point).toEqual([
        1,
        'A copy into this database was not finished. Run the same `inlet copy` again: it goes on where it was.\n',
      ]);
    }
    const done = await copy([...words, '--json']);
    expect([done.code, done.stderr]).toEqual([0, 'Going on where the copy was stopped.\n']);
    expect(done.json()).toMatchObject({ resumed: true, files_missing: [] });
    await expectSame(target);
  }, 240_000);

  it('goes on in PostgreSQL too', async () => {
    const url = await database();
    const files = await folder();
    const words = ['--from', source, '--to', url, '--to-files', files];
    for (const point of points) await killedCopy(words, point);
    // The last run was killed after everything was done.
    const env = { DATABASE_URL: url, INLET_SECRET: (await readFile(join(source, 'secret'), 'utf8')).trim() };
    expect(await inletJson(['accounts', 'list'], { dataDir: files, env })).toEqual(
      await inletJson(['accounts', 'list'], { dataDir: source }),
    );
    const again = await copy(words);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/ holds data already \(table accounts\)\. /),
    ]);
  }, 240_000);

  it('is the copy of one instance', async () => {
    const target = join(await folder(), 'copy');
    await killedCopy(['--from', source, '--to', target], 'mark=6');
    const another = await folder();
    await (await startServer({ dataDir: another })).end();
    const other = await copy(['--from', another, '--to', target]);
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringMatching(/ has a secret of its own\. .+\n$/),
    ]);
    const secret = { INLET_SECRET: 'a secret of the operator 0123456789' };
    const third = await folder();
    await (await startServer({ dataDir: third, env: secret })).end();
    const foreign = await copy(['--from', third, '--to', target], secret);
    expect([foreign.code, foreign.stderr]).toEqual([
      1,
      `${target} holds an unfinished copy of another instance.\n`,
    ]);
    const from = await copy(['--from', target, '--to', join(third, 'new')]);
    expect([from.code, from.stderr]).toEqual([
      1,
      expect.stringMatching(/: A copy into this database was not finished\. .+\n$/),
    ]);
  });

  it('tells when its source changed before it went on', async () => {
    const home = await folder();
    await cp(source, home, { recursive: true });
    const target = join(await folder(), 'copy');
    await killedCopy(['--from', home, '--to', target], 'mark=12&after=1');
    const db = new DatabaseSync(join(home, 'inlet.db'));
    db.exec("UPDATE projects SET name = 'Changed'; DELETE FROM api_keys WHERE scope = 'read'");
    db.close();
    const done = await copy(['--from', home, '--to', target]);
    expect([done.code, done.stdout]).toEqual([1, '']);
    expect(done.stderr).toMatch(
      /^Going on .+\nThe copy differs from its source \(api_keys: \d rows at the source, \d in the copy; projects: rows differ\): .+\n$/,
    );
  });
});

describe('what a copy refuses', () => {
  const refused = async (words: readonly string[], env: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await copy(words, env);
    expect(stdout).toBe('');
    return [code, stderr];
  };
  const help = 'See: inlet copy --help\n';

  it('places that cannot be', async () => {
    expect(await refused(['--from', source])).toEqual([2, `--to is missing.\n${help}`]);
    expect(await refused(['--from', source, '--to', 'mysql://root:geheim@db/x'])).toEqual([
      2,
      `--to does not start with postgres:// or postgresql://. It is a folder, or a URL such as postgres://user:password@host:5432/inlet.\n${help}`,
    ]);
    expect(await refused(['--from', source, '--to', 'postgres://u:geheim@db/x'])).toEqual([
      2,
      `--to-files is missing: PostgreSQL holds no files. Name the folder or the bucket (s3://…) that does.\n${help}`,
    ]);
    expect(await refused(['--from', source, '--to', await folder(), '--to-files', 'ftp://x/y'])).toEqual([
      2,
      `--to-files does not start with s3://. It is a folder, or a URL such as s3://bucket?endpoint=https://s3.example.com&region=eu-central-1.\n${help}`,
    ]);
    const link = join(await folder(), 'link');
    await symlink(source, link);
    expect(await refused(['--from', source, '--to', `${link}/`])).toEqual([
      1,
      `--from and --to are the same place: ${link}\n`,
    ]);
    expect(await refused(['--from', source, '--to', `@${link}-url`])).toEqual([
      1,
      `Cannot use ${link}-url: it does not exist. Check the path and its permissions.\n`,
    ]);
    const empty = await folder();
    expect(await refused(['--from', empty, '--to', join(empty, 'new')])).toEqual([
      1,
      `There is no Inlet database in ${empty}.\n`,
    ]);
    expect(await readdir(empty)).toEqual([]);
  });

  it('a source that is served, in a folder and in PostgreSQL', async () => {
    const home = await folder();
    const target = join(await folder(), 'copy');
    const served = await startServer({ dataDir: home });
    cleanups.push(() => served.dispose());
    expect(await refused(['--from', home, '--to', target])).toEqual([
      1,
      `Another Inlet serves ${home}. Stop it first, or set another DATA_DIR.\n`,
    ]);
    await served.end();

    const url = await database();
    expect((await copy(['--from', home, '--to', url, '--to-files', target])).code).toBe(0);
    await inPostgres(
      url,
      `INSERT INTO processes VALUES ('1', 'all', 'web-1', 77, '0', 0, extract(epoch FROM now())::bigint * 1000)`,
    );
    const secret = { INLET_SECRET: (await readFile(join(home, 'secret'), 'utf8')).trim() };
    const back = ['--from', url, '--from-files', target, '--to', join(await folder(), 'back')];
    expect(await refused(back, secret)).toEqual([
      1,
      `${shown(url)} is being served (process 77 on web-1). Stop it first; one that was killed counts for 12 seconds more.\n`,
    ]);
    await inPostgres(url, 'UPDATE processes SET seen_at = seen_at - 15000');
    expect((await copy(back, secret)).code).toBe(0);
  });

  it('a target that holds something', async () => {
    const taken = await folder();
    await writeFile(join(taken, 'thesis.txt'), 'mine');
    expect(await refused(['--from', source, '--to', taken])).toEqual([
      1,
      `${taken} is not empty (thesis.txt). Name a new folder: a copy never overwrites.\n`,
    ]);
    expect(await readdir(taken)).toEqual(['thesis.txt']);

    const secret = { INLET_SECRET: (await readFile(join(source, 'secret'), 'utf8')).trim() };
    const home = await folder();
    await (await startServer({ dataDir: home, env: secret })).end();
    expect(await refused(['--from', source, '--to', home], secret)).toEqual([
      1,
      `${home} holds data already (table accounts). Name an empty place: a copy never overwrites.\n`,
    ]);

    const foreign = await folder();
    await mkdir(join(foreign, 'files', 'other'), { recursive: true });
    await writeFile(join(foreign, 'files', 'other', 'somebody-elses'), 'x');
    const url = await database();
    expect(await refused(['--from', source, '--to', url, '--to-files', foreign])).toEqual([
      1,
      `${foreign} holds files of something else (somebody-elses). Name an empty place: instances cannot share one.\n`,
    ]);
  });

  it('a database that is not there, and a secret that is not the right one', async () => {
    const files = await folder();
    const [code, text] = await refused([
      '--from',
      source,
      '--to',
      'postgres://u:geheim@127.0.0.1:1/x',
      '--to-files',
      files,
    ]);
    expect([code, text]).toEqual([1, expect.stringMatching(/^postgres:\/\/\*\*\*@127\.0\.0\.1:1\/x: .+\n$/)]);
    expect(text).not.toContain('geheim');
    expect(String(text).split('\n')).toHaveLength(2);
    const away = [
      '--from',
      source,
      '--to',
      join(files, 'new'),
      '--to-files',
      's3://bucket?endpoint=http://127.0.0.1:1&region=x',
    ];
    expect(await refused(away, { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'geheim' })).toEqual([
      1,
      expect.stringMatching(/^s3:\/\/bucket\?.+: .+\n$/),
    ]);
    expect(
      await refused(['--from', source, '--to', join(files, 'newer')], {
        INLET_SECRET: 'not the secret of this folder 123',
      }),
    ).toEqual([
      1,
      `${source}: the secret does not open what is stored. Set INLET_SECRET as it was when serving.\n`,
    ]);
    expect(
      await refused(['--from', 'postgres://u@127.0.0.1:1/x', '--from-files', 's3://bucket', '--to', files]),
    ).toEqual([1, 'Set INLET_SECRET to the secret of the source.\n']);
  });
});
