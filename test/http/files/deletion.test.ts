/** A deleted file answers 410 for ever: interface 3 and 7, decisions 3. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Answer, client, makeForm, request } from '../../support/client.js';
import { expectDeleted, expectProblem, unknownId } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

const gone = 'File has been deleted';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
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
  const stranger = client(server.url, (await makeAccount(server, 'pro')).api_key);
  expectProblem(await stranger.delete(path), 403, 'Access denied to this file');
  expect((await client(server.url).get(path)).status).toBe(200);
  expectDeleted(await del(path));
  expectProblem(await stranger.get(path), 403, 'Access denied to this file');
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
        // What upkeep removes in between is not what is looked for.
        .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => '')),
    );
    return contents.includes(bytes);
  };
  expect(await isOnDisk()).toBe(true);
  expectDeleted(await del(`/api/v1/files/${file.id}`));
  expect(await isOnDisk()).toBe(false);
});

// Last: it ends the server that the others use.
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
