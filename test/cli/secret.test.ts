/** The secret of a data folder: when it is missing or wrong, the command says so at once and creates nothing. */
import { access, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { inlet } from '../support/cli.js';
import { startServer, temporaryFolder } from '../support/server.js';

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))));

async function servedFolder(env: Record<string, string> = {}): Promise<string> {
  const dataDir = await temporaryFolder();
  folders.push(dataDir);
  const server = await startServer({ dataDir, env });
  expect(await server.end()).toBe(0);
  return dataDir;
}

it('a lost secret is not replaced by a new one', async () => {
  const dataDir = await servedFolder();
  await rename(join(dataDir, 'secret'), join(dataDir, 'kept-elsewhere'));
  await expect(startServer({ dataDir })).rejects.toThrow(
    /secret is missing\. Put the secret of this instance there, or set INLET_SECRET/,
  );
  const listed = await inlet(['accounts', 'list'], { dataDir });
  expect([listed.code, listed.stderr]).toEqual([1, expect.stringContaining('secret is missing')]);
  await expect(access(join(dataDir, 'secret'))).rejects.toThrow();
  await rename(join(dataDir, 'kept-elsewhere'), join(dataDir, 'secret'));
  await (await startServer({ dataDir })).end();
});

it('another INLET_SECRET is refused at the start, not at the first request', async () => {
  const dataDir = await servedFolder({ INLET_SECRET: 'a'.repeat(40) });
  await expect(startServer({ dataDir, env: { INLET_SECRET: 'b'.repeat(40) } })).rejects.toThrow(
    /secret does not open what is stored/,
  );
  await (await startServer({ dataDir, env: { INLET_SECRET: 'a'.repeat(40) } })).end();
});

it('leaves nothing but the secret itself beside the database', async () => {
  const names = await readdir(await servedFolder());
  expect(names.filter((name) => name.startsWith('secret'))).toEqual(['secret']);
});
