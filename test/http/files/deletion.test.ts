/** A deleted file responds with 410 for ever: interface 3 and 7, decisions 3. */
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Answer, client, makeForm, request } from '../../support/client.js';
import { expectDeleted, expectProblem, unknownId } from '../../support/contract.js';
import { ageInstance } from '../../support/engine.js';
import { contentUrl, fetchBytes, type SentFile, sendFile } from '../../support/files.js';
import { keptFiles, waitUntil } from '../../support/kept.js';
import { picture } from '../../support/pictures.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { hurriedUpkeep } from '../../support/upkeep.js';
import { submitFiles } from '../../support/upload.js';

const gone = 'File has been deleted';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer(hurriedUpkeep);
});
afterAll(() => server.dispose());

const del = (path: string): Promise<Answer> => client(server.url).delete(path);

const makeFile = async () => {
  const form = await makeForm(server.url);
  const { body } = await submitFiles(form.endpoint, [
    { field: 'a', filename: 'a.txt', type: 'text/plain', content: `bytes of ${form.formId}` },
  ]);
  const id: string = body.files[0].id;
  const { download_url: url } = (await client(server.url).get(`/api/v1/files/${id}`)).body;
  return {
    ...form,
    id,
    submissionId: body.submission_id as string,
    token: new URL(url).searchParams.get('token') ?? '',
    location: (await request(url)).headers.get('location') ?? '',
  };
};
type MadeFile = Awaited<ReturnType<typeof makeFile>>;

async function expectGone({ id, token, location }: MadeFile): Promise<void> {
  const path = `/api/v1/files/${id}`;
  const here = (url: string): string => url.replace(/^http:\/\/[^/]+/, server.url);
  expectProblem(await client(server.url).get(path), 410, gone);
  expectProblem(await client(server.url).get(`${path}/download`), 410, gone);
  expectProblem(await client(server.url, null).get(`${path}?token=${token}`), 410, gone);
  expectProblem(await client(server.url, null).get(`${path}/download?token=${token}`), 410, gone);
  expectProblem(await request(here(location)), 410, gone);
  expectProblem(await del(path), 410, gone);
}

const deletions: readonly [string, (file: MadeFile) => Promise<Answer>][] = [
  ['itself', (file) => del(`/api/v1/files/${file.id}`)],
  ['its submission', (file) => del(`/api/v1/submissions/${file.submissionId}`)],
  ['its form', (file) => del(`/api/v1/forms/${file.formId}`)],
  ['its project', (file) => del(`/api/v1/projects/${file.projectId}`)],
  [
    'itself, then its project',
    async (file) => {
      await del(`/api/v1/files/${file.id}`);
      return del(`/api/v1/projects/${file.projectId}`);
    },
  ],
];

describe('by the key, by the token and by the signed URL', () => {
  it.each(deletions)('410 at once after the deletion of %s', async (_, remove) => {
    const file = await makeFile();
    expectDeleted(await remove(file));
    await expectGone(file);
  });
});

it('leaves other files of the submission alone', async () => {
  const form = await makeForm(server.url);
  const { body } = await submitFiles(form.endpoint, [
    { field: 'a', filename: 'a.txt', type: 'text/plain', content: 'same' },
    { field: 'b', filename: 'b.txt', type: 'text/plain', content: 'same' },
  ]);
  const [first, second] = body.files;
  expectDeleted(await del(`/api/v1/files/${first.id}`));
  const { download_url: url } = (await client(server.url).get(`/api/v1/files/${second.id}`)).body;
  expect(await (await fetch(url)).text()).toBe('same');
});

it('is for the owner alone, and is no secret from no one else', async () => {
  const file = await makeFile();
  const path = `/api/v1/files/${file.id}`;
  const outsider = client(server.url, (await makeAccount(server, 'pro')).api_key);
  expectProblem(await outsider.delete(path), 403, 'Access denied to this file');
  expect((await client(server.url).get(path)).status).toBe(200);
  expectDeleted(await del(path));
  expectProblem(await outsider.get(path), 403, 'Access denied to this file');
  expectProblem(await client(server.url, null).get(path), 401, 'Invalid API key');
  expectProblem(await del(`/api/v1/files/${unknownId}`), 404, 'File not found');
});

it('takes the bytes off the disk', async () => {
  const file = await makeFile();
  const bytes = `bytes of ${file.formId}`;
  const isOnDisk = async (): Promise<boolean> => {
    const entries = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
    const contents = await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        // What upkeep removes in between is not what this looks for.
        .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => '')),
    );
    return contents.includes(bytes);
  };
  expect(await isOnDisk()).toBe(true);
  expectDeleted(await del(`/api/v1/files/${file.id}`));
  expect(await isOnDisk()).toBe(false);
});

describe('pictures that were made of it', () => {
  const makeImage = async (): Promise<SentFile> =>
    sendFile(server.url, { filename: 'a.png', type: 'image/png', content: await picture('png', 300, 200) });
  const isThere = (path: string): Promise<boolean> =>
    stat(path).then(
      () => true,
      () => false,
    );
  /** The paths that `work` added to the disk. A small variant is served while it is being stored, so this waits for `count` of them. */
  const added = async (work: () => Promise<unknown>, count = 0): Promise<readonly string[]> => {
    const before = new Set(await keptFiles(server));
    await work();
    const found = async () => (await keptFiles(server)).filter((path) => !before.has(path));
    await waitUntil(async () => (await found()).length >= count, 40_000);
    return found();
  };
  const allGone = (paths: readonly string[]) =>
    waitUntil(async () => !(await Promise.all(paths.map(isThere))).includes(true), 40_000);

  it.each<[string, (file: SentFile) => string]>([
    ['itself', ({ path }) => path],
    ['its submission', ({ submissionId }) => `/api/v1/submissions/${submissionId}`],
    ['its form', ({ formId }) => `/api/v1/forms/${formId}`],
    ['its project', ({ projectId }) => `/api/v1/projects/${projectId}`],
  ])('are refused at once and off the disk soon after the deletion of %s', async (_, pathOf) => {
    const queries = ['&w=30', '&w=40&f=webp', '&f=jpeg'];
    const links: string[] = [];
    let file: SentFile | undefined;
    const paths = await added(async () => {
      file = await makeImage();
      for (const query of queries) links.push(await contentUrl(file, query));
    }, 1 + queries.length);
    if (!file) throw new Error('no file');
    const { downloadUrl, path } = file;
    expect(paths).toHaveLength(1 + queries.length);
    expectDeleted(await del(pathOf(file)));
    for (const link of links) expectProblem(await request(link), 410, gone);
    for (const query of [...queries, '&w=31'])
      expectProblem(await request(`${downloadUrl}${query}`), 410, gone);
    expectProblem(await client(server.url).post(`${path}/signed-url`, { w: 30 }), 410, gone);
    await allGone(paths);
  });

  it('leave nothing behind when the file is deleted while they are made', async () => {
    const paths = await added(async () => {
      for (const delay of [0, 0, 0, 1, 1, 2, 3, 5]) {
        const file = await makeImage();
        const asked = Array.from({ length: 12 }, (_, i) => request(`${file.downloadUrl}&w=${200 + i}`));
        // Waits for this many responses first, so that the deletion meets the work at different stages.
        await Promise.all(asked.slice(0, delay));
        expectDeleted(await del(file.path));
        const statuses = new Set((await Promise.all(asked)).map(({ status }) => status));
        expect([...statuses].filter((status) => status !== 302 && status !== 410)).toEqual([]);
      }
    });
    await allGone(paths);
  });

  it('go alone: the file and its other pictures stay', async () => {
    const [file, other] = [await makeImage(), await makeImage()];
    const paths = await added(() => contentUrl(other, '&w=50'), 1);
    expect(paths).toHaveLength(1);
    const doomed = await added(() => contentUrl(file, '&w=50'), 1);
    expectDeleted(await del(file.path));
    await allGone(doomed);
    expect(await Promise.all(paths.map(isThere))).toEqual([true]);
    expect((await fetchBytes(await contentUrl(other, '&w=50'))).status).toBe(200);
  });
});

it('sweeps bytes that nobody knows of after an hour, and no others: neither a file nor a picture', async () => {
  const own = await startServer();
  const content = await picture('png', 30, 20);
  const file = await sendFile(own.url, { filename: 'a.png', type: 'image/png', content });
  const before = await fetchBytes(await contentUrl(file, '&w=10'));
  await own.end();
  const known = await keptFiles(own);
  expect(known).toHaveLength(2);
  // In the folder of a known file, under a key that differs only in its creation time.
  const [some = ''] = known;
  const beside = (time: string) => join(dirname(some), `${time}${basename(some).slice(time.length)}`);
  const [orphan, young] = [beside('01890000'), beside('01890001')];
  for (const path of [orphan, young]) await writeFile(path, 'nobody knows of me');
  const hoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const path of [...known, orphan]) await utimes(path, hoursAgo, hoursAgo);
  await ageInstance(own.dataDir, 24 * 60 * 60 * 1000);
  const again = await startServer({ ...hurriedUpkeep, dataDir: own.dataDir, port: own.port });
  try {
    await waitUntil(async () => !(await keptFiles(again)).includes(orphan), 30_000);
    expect([...(await keptFiles(again))].sort()).toEqual([...known, young].sort());
    const after = await fetchBytes(await contentUrl(file, '&w=10'));
    expect(after.bytes.equals(before.bytes)).toBe(true);
  } finally {
    await again.dispose();
  }
});

// Last, because it ends the server that the other tests use.
it('lasts over a restart, in every way of deleting', async () => {
  const files: MadeFile[] = [];
  for (const [, remove] of deletions) {
    const file = await makeFile();
    expectDeleted(await remove(file));
    files.push(file);
  }
  await server.end();
  server = await startServer({ dataDir: server.dataDir });
  for (const file of files) await expectGone(file);
});
