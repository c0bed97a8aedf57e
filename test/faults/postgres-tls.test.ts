/** PostgreSQL over TLS with a certificate of a private CA, which `sslrootcert` names. */
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { selfSigned } from '../support/certificate.js';
import { inlet } from '../support/cli.js';
import { temporaryFolder } from '../support/server.js';
import { type PostgresServer, startPostgres } from '../support/services/postgres.js';

let postgres: PostgresServer;
let folder: string;
let dataDir: string;
const secret = 'a secret of at least thirty-two characters';

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-tls-'));
  await chmod(folder, 0o755);
  dataDir = await temporaryFolder();
  postgres = await startPostgres();
  const { cert, key } = selfSigned('localhost');
  const paths = { cert: await fileOf('server.crt', cert), key: await fileOf('server.key', key) };
  // The server rejects a key that another user owns.
  const { uid, gid } = await stat(`/proc/${postgres.pid()}`);
  for (const path of Object.values(paths)) await chown(path, uid, gid);
  const { default: pg } = await import('pg');
  const session = new pg.Client({ connectionString: postgres.url });
  await session.connect();
  await session.query(`ALTER SYSTEM SET ssl_cert_file = '${paths.cert}'`);
  await session.query(`ALTER SYSTEM SET ssl_key_file = '${paths.key}'`);
  await session.query('ALTER SYSTEM SET ssl = on');
  await session.end();
  await postgres.stop();
  await postgres.start();
  await fileOf('right.crt', cert);
  await fileOf('wrong.crt', selfSigned('localhost').cert);
});
afterAll(async () => {
  await postgres?.dispose();
  await rm(folder, { recursive: true, force: true });
});

const withAuthority = (words: readonly string[], authority: string) => {
  const url = new URL(postgres.url);
  url.hostname = 'localhost';
  url.search = `sslmode=verify-full&sslrootcert=${join(folder, authority)}`;
  const address = { HOST: '127.0.0.1', PORT: '0', BASE_URL: 'http://localhost' };
  return inlet(words, { dataDir, env: { ...address, DATABASE_URL: url.href, INLET_SECRET: secret } });
};

it('trusts the authority that sslrootcert names', async () => {
  const { code, stderr } = await withAuthority(['migrate'], 'right.crt');
  expect([code, stderr]).toEqual([0, '']);
});

it('does not wait for a server with a certificate of another authority', async () => {
  const { code, stderr } = await withAuthority(['serve'], 'wrong.crt');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^PostgreSQL: .*certificate/);
});
