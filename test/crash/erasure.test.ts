/**
 * The server dies in the middle of an erasure, at a different moment each time, and resumes where it was. A database restored from before
 * an erasure erases the person again, although nothing stored says who it was.
 */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { client, makeForm } from '../support/client.js';
import { filesWith } from '../support/raw-bytes.js';
import { runSeed, seeded } from '../support/seeded.js';
import { type RunningServer, startServer, temporaryFolder } from '../support/server.js';
import { submitFiles } from '../support/upload.js';
import { becomes, submit } from '../support/webhooks.js';

const kills = Number(process.env.CRASH_CYCLES ?? 6);
const env = { API_RATE_LIMIT_PER_MINUTE: '1000000' };
const address = 'person.of.many@example.com';

let server: RunningServer;
afterEach(() => server.dispose());

const erasures = async () => (await client(server.url).get('/api/v1/erasures')).body.data;
const allFinished = () =>
  becomes(
    erasures,
    (all) => all.length > 0 && all.every(({ status }: { status: string }) => status === 'finished'),
  );

async function fill(count: number): Promise<{ readonly formId: string; readonly others: readonly string[] }> {
  const form = await makeForm(server.url);
  const others: string[] = [];
  for (let n = 0; n < count; n += 20) {
    await Promise.all(
      Array.from({ length: 19 }, (_, index) =>
        submit(form.endpoint, { email: address, text: `${n + index} ${'filler '.repeat(400)}` }),
      ),
    );
    others.push(await submit(form.endpoint, { email: `other${n}@example.com` }));
  }
  const cv = { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: `I am ${address}` };
  await submitFiles(form.endpoint, [cv], { email: address });
  return { formId: form.formId, others };
}

async function expectGone({ formId, others }: Awaited<ReturnType<typeof fill>>): Promise<void> {
  expect(await filesWith(server.dataDir, address)).toEqual([]);
  const listed = await client(server.url).get(`/api/v1/forms/${formId}/submissions?limit=100`);
  expect(listed.body.data.map((one: { id: string }) => one.id).sort()).toEqual([...others].sort());
}

it('goes on after a crash, whenever it happens', async () => {
  const chance = seeded(runSeed());
  server = await startServer({ env });
  const { dataDir } = server;
  const filled = await fill(1_000);
  const begun = await client(server.url).post('/api/v1/persons/erase', { q: address });
  expect(begun.status).toBe(202);
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(chance.between(0, 400));
    await server.end('SIGKILL');
    server = await startServer({ env, dataDir });
  }
  const [erasure] = await allFinished();
  expect(erasure.counts).toEqual({ submissions: 951 });
  expect(erasure.files_removed).toBe(1);
  await expectGone(filled);
});

it('erases again what a restored database brings back', async () => {
  server = await startServer({ env });
  const { dataDir } = server;
  const filled = await fill(40);
  await server.end();
  const backup = await temporaryFolder();
  for (const name of ['inlet.db', 'inlet.db-wal', 'files'])
    await cp(join(dataDir, name), join(backup, name), { recursive: true }).catch(() => {});
  server = await startServer({ env, dataDir });
  await client(server.url).post('/api/v1/persons/erase', { q: address });
  const [first] = await allFinished();
  await server.end();

  for (const name of ['inlet.db', 'inlet.db-wal', 'inlet.db-shm'])
    await rm(join(dataDir, name), { force: true });
  await cp(join(backup, 'inlet.db'), join(dataDir, 'inlet.db'));
  await cp(join(backup, 'files'), join(dataDir, 'files'), { recursive: true });
  await rm(backup, { recursive: true });
  expect(await filesWith(dataDir, address)).not.toEqual([]);

  server = await startServer({ env, dataDir });
  const [again] = await allFinished();
  expect(again).toMatchObject({ id: first.id, counts: first.counts, files_removed: first.files_removed });
  await expectGone(filled);
});
