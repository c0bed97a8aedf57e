import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { inlet, inletJson, until, upload, withoutProgress } from '../support/cli.js';
import { client, makeForm, submitJson } from '../support/client.js';
import { filesWith } from '../support/raw-bytes.js';
import {
  entry,
  plainEnvironment,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../support/server.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function started(options: Parameters<typeof startServer>[0] = {}): Promise<RunningServer> {
  const server = await startServer(options);
  cleanups.push(() => server.dispose());
  return server;
}

async function folder(): Promise<string> {
  const path = await temporaryFolder();
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

const textOf = (number: number): string =>
  `file ${number} ${createHash('sha256').update(`${number}`).digest('hex')}`;

/** Submits one file after another until `end` is called. */
function keepSubmitting(endpoint: string) {
  const acknowledged: { id: string; number: number }[] = [];
  let ending = false;
  const ended = (async () => {
    for (let number = 0; !ending; number += 1) {
      const answer = await upload(endpoint, textOf(number), `${number}.txt`);
      if (answer.status !== 200) throw new Error(`submission: ${answer.status} ${answer.text}`);
      acknowledged.push({ id: answer.body.submission_id, number });
    }
  })();
  // `end` reports the failure. Without this, a rejected submission would end the whole run.
  ended.catch(() => {});
  return {
    acknowledged,
    async end() {
      ending = true;
      await ended;
    },
  };
}

describe('a backup under load', () => {
  it('holds everything that was acknowledged before it began, files included', async () => {
    const server = await started();
    const { endpoint, formId } = await makeForm(server.url);
    // More than one step of the copy (4 MB), so that writes happen between steps.
    const bulk = 'x'.repeat(900_000);
    for (let i = 0; i < 8; i += 1) expect((await submitJson(endpoint, { bulk })).status).toBe(200);
    const load = keepSubmitting(endpoint);
    while (load.acknowledged.length < 5) await submitJson(endpoint, { more: true });
    const before = [...load.acknowledged];

    const target = join(await folder(), 'copy');
    const summary = await inletJson(['backup', '--to', target, '--with-secret'], { dataDir: server.dataDir });
    const during = load.acknowledged.length - before.length;
    await load.end();
    expect(during).toBeGreaterThan(0);
    expect(summary).toMatchObject({
      folder: target,
      accounts: 1,
      projects: 1,
      forms: 1,
      files_deleted_meanwhile: 0,
      files_missing: [],
      secret_included: true,
    });
    expect(summary.files).toBeGreaterThanOrEqual(before.length);
    expect((await readdir(target)).sort()).toEqual(['files', 'inlet.db', 'secret']);
    expect((await stat(join(target, 'secret'))).mode & 0o777).toBe(0o600);
    await server.end();

    const restored = await started({ dataDir: target, env: { API_RATE_LIMIT_PER_MINUTE: '1000000' } });
    const api = client(restored.url);
    const ids = new Set<string>();
    let cursor = '';
    do {
      const page = await api.get(`/api/v1/forms/${formId}/submissions?limit=100${cursor}`);
      expect(page.status).toBe(200);
      for (const item of page.body.data) ids.add(item.id);
      cursor = page.body.next_cursor === null ? '' : `&cursor=${page.body.next_cursor}`;
    } while (cursor !== '');
    expect(ids.size).toBe(summary.submissions);
    expect(before.filter(({ id }) => !ids.has(id))).toEqual([]);

    const sent = load.acknowledged.filter(({ id }) => ids.has(id));
    expect(sent).toHaveLength(summary.files);
    const readBack = await Promise.all(
      sent.map(async ({ id, number }) => {
        const { body } = await api.get(`/api/v1/submissions/${id}`);
        const stored = await api.get(`/api/v1/files/${body.files[0].id}`);
        const file = await fetch(stored.body.download_url);
        return { number, files: body.files.length, status: file.status, text: await file.text() };
      }),
    );
    expect(readBack).toEqual(
      sent.map(({ number }) => ({ number, files: 1, status: 200, text: textOf(number) })),
    );
    expect((await inlet(['doctor'], { dataDir: target })).code).toBe(0);
    // Opened with the copied secret, and writable like any other instance.
    expect((await api.post('/api/v1/projects', { name: 'Next' })).status).toBe(201);
  });
});

describe('a backup before and during the erasure of a person', () => {
  it('is erased from when it is started, and the running instance is not kept from its own', async () => {
    const address = 'ann.backup@example.com';
    const server = await started();
    const { dataDir } = server;
    const { endpoint } = await makeForm(server.url);
    const theirs = await submitJson(endpoint, { email: address });
    const other = await submitJson(endpoint, { email: 'bob@example.com' });
    const erased = (url: string) =>
      until(
        async () => (await client(url).get('/api/v1/erasures')).body.data[0],
        (erasure) => erasure?.status === 'finished',
      );
    const backUp = async () => {
      const to = join(await folder(), 'copy');
      await inletJson(['backup', '--to', to, '--with-secret'], { dataDir });
      return to;
    };

    const before = await backUp();
    // An open read transaction stops the erasure where the rows are deleted but their bytes are still in the file.
    const reader = new DatabaseSync(join(dataDir, 'inlet.db'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM submissions').get();
    const begun = await client(server.url).post('/api/v1/persons/erase', { q: address });
    const now = async () => (await client(server.url).get(`/api/v1/erasures/${begun.body.id}`)).body;
    await until(now, ({ stage }) => stage === 'traces');
    const during = await backUp();
    expect(await now()).toMatchObject({ status: 'running' });
    reader.close();
    await erased(server.url);
    expect(await filesWith(dataDir, address)).toEqual([]);
    await server.end();

    expect(await filesWith(before, address)).not.toEqual([]);
    await cp(join(dataDir, 'files', '.notes'), join(before, 'files', '.notes'), { recursive: true });
    for (const backup of [before, during]) {
      const restored = await started({ dataDir: backup });
      expect(await erased(restored.url)).toMatchObject({ id: begun.body.id });
      const status = async (id: string) =>
        (await client(restored.url).get(`/api/v1/submissions/${id}`)).status;
      expect(await status(theirs.body.submission_id)).toBe(404);
      expect(await status(other.body.submission_id)).toBe(200);
      expect(await filesWith(backup, address)).toEqual([]);
    }
  });
});

describe('the secret of a backup', () => {
  it('is left out, which is said, and a restore takes it from the new folder or from INLET_SECRET', async () => {
    const server = await started();
    const { projectId } = await makeForm(server.url);
    const projectOf = (url: string) => client(url).get(`/api/v1/projects/${projectId}`);
    const { webhook_secret } = (await projectOf(server.url)).body;
    const secretFile = join(server.dataDir, 'secret');
    const secret = (await readFile(secretFile, 'utf8')).trim();
    const backup = join(await folder(), 'copy');
    const summary = await inletJson(['backup', '--to', backup], { dataDir: server.dataDir });
    expect(summary).toMatchObject({ secret_included: false, secret_location: secretFile });
    expect((await readdir(backup)).sort()).toEqual(['files', 'inlet.db']);
    expect((await readFile(join(backup, 'inlet.db'))).includes(secret)).toBe(false);
    const plain = await inlet(['backup', '--to', await folder()], { dataDir: server.dataDir });
    expect(plain.stderr).toContain(`The secret is not included. Keep a copy of ${secretFile} elsewhere: `);
    await server.end();

    const dataDir = join(await folder(), 'data');
    const restore = async (env: Record<string, string> = {}) =>
      withoutProgress(await inlet(['restore', backup, '--json'], { dataDir, env }));
    const without = await restore();
    expect([without.code, without.stdout]).toEqual([1, '']);
    expect(without.stderr).toBe(
      `${backup} has no secret, which stored webhook secrets, CAPTCHA keys and sandbox keys are sealed with. ` +
        `Copy the secret file of the instance to ${join(dataDir, 'secret')}, or set INLET_SECRET to its content, then restore again.\n`,
    );
    // Using the backup directly creates no new secret either.
    const served = await inlet(['accounts', 'list'], { dataDir: backup });
    expect([served.code, served.stderr]).toEqual([1, expect.stringContaining('secret is missing')]);
    await expect(stat(join(backup, 'secret'))).rejects.toThrow('ENOENT');

    const bySetting = await restore({ INLET_SECRET: secret });
    expect(bySetting.json()).toMatchObject({ secret_file: null });
    expect(await readdir(dataDir)).not.toContain('secret');
    await rm(dataDir, { recursive: true });

    await cp(secretFile, join(dataDir, 'secret'));
    expect((await restore()).json()).toMatchObject({ secret_file: join(dataDir, 'secret') });
    const restored = await started({ dataDir });
    expect((await projectOf(restored.url)).body.webhook_secret).toBe(webhook_secret);
  });

  it('that does not belong to the backup is refused, and stays where it was put', async () => {
    const server = await started();
    const backup = join(await folder(), 'copy');
    await inletJson(['backup', '--to', backup, '--with-secret'], { dataDir: server.dataDir });
    const dataDir = await folder();
    await writeFile(join(dataDir, 'secret'), 'x'.repeat(64));
    const refused = withoutProgress(await inlet(['restore', backup], { dataDir }));
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^The secret does not open what is stored\. .+\n$/),
    ]);
    expect((await readdir(dataDir)).filter((name) => !name.startsWith('inlet.lock'))).toEqual(['secret']);
    expect(await readFile(join(dataDir, 'secret'), 'utf8')).toBe('x'.repeat(64));
  });

  it('and all else in it is for its owner only, whatever new files usually are', async () => {
    const server = await started();
    const { endpoint } = await makeForm(server.url);
    expect((await upload(endpoint, 'one')).status).toBe(200);
    const backup = join(await folder(), 'copy');
    const openToAll = ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, entry];
    const restored = join(await folder(), 'data');
    for (const [words, dataDir] of [
      [['backup', '--to', backup, '--with-secret'], server.dataDir],
      [['restore', backup], restored],
    ] as const) {
      const env = { ...plainEnvironment(), DATA_DIR: dataDir };
      const { status, stderr } = spawnSync('sh', [...openToAll, ...words], { env, encoding: 'utf8' });
      expect(status, stderr).toBe(0);
    }
    for (const made of [backup, restored]) {
      const items = await readdir(made, { recursive: true, withFileTypes: true });
      expect(items.filter((item) => item.isFile()).length).toBeGreaterThanOrEqual(3);
      for (const path of [made, ...items.map(({ parentPath, name }) => join(parentPath, name))]) {
        // SQLite creates the lock file with its own permissions, and it is empty.
        if (path.includes('inlet.lock')) continue;
        expect(((await stat(path)).mode & 0o077).toString(8), path).toBe('0');
      }
    }
  });
});

describe('what a backup refuses and says', () => {
  it('never overwrites, and tells what is missing', async () => {
    const server = await started({ env: { INLET_SECRET: 'a secret of the operator 0123456789' } });
    const env = { INLET_SECRET: 'a secret of the operator 0123456789' };
    const { endpoint } = await makeForm(server.url);
    for (const text of ['one', 'two']) {
      expect((await upload(endpoint, text)).status).toBe(200);
    }
    const target = await folder();
    const done = await inlet(['backup', '--to', target], { dataDir: server.dataDir, env });
    expect(done.code).toBe(0);
    expect(done.stdout).toContain(`\nRestore  inlet restore ${target}\n`);
    expect(done.stderr).toMatch(/^The secret is not included\. Keep a copy of INLET_SECRET elsewhere: .+\n$/);
    expect((await readdir(target)).sort()).toEqual(['files', 'inlet.db']);

    const again = await inlet(['backup', '--to', target], { dataDir: server.dataDir, env });
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/ is not empty \(.+\)\. .+\n$/);

    for (const inside of ['', 'files/bk', 'new']) {
      const to = join(server.dataDir, inside);
      for (const keep of [[], ['--keep', '2']]) {
        const refused = await inlet(['backup', '--to', to, ...keep], { dataDir: server.dataDir, env });
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/ is in DATA_DIR\. .+\n$/)]);
      }
    }
    expect(await readdir(server.dataDir)).not.toContain('new');

    const blobs = await readdir(join(server.dataDir, 'files'), { recursive: true, withFileTypes: true });
    const [blob] = blobs.filter((item) => item.isFile() && item.name !== '.instance');
    await writeFile(join(blob?.parentPath ?? '', blob?.name ?? ''), 'x'.repeat(99));
    const other = join(await folder(), 'other');
    const damaged = await inlet(['backup', '--to', other, '--json'], { dataDir: server.dataDir, env });
    expect(damaged.code).toBe(1);
    expect(JSON.parse(damaged.stdout)).toMatchObject({ files: 1, files_missing: [expect.any(String)] });
    expect(damaged.stderr).toContain('1 stored file without bytes');
  });
});
