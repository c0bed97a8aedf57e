/** A separate PostgreSQL for a run: Debian's package with full sync and otherwise defaults, on loopback, temporary data. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort, removeFolder } from './processes.mjs';

const packages = '/usr/lib/postgresql';
const startTimeoutMs = 20_000;

function findPrograms() {
  const versions = existsSync(packages) ? readdirSync(packages).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions
    .map((name) => join(packages, name, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
  if (!found) throw new Error('PostgreSQL is not installed: sudo apt-get install postgresql');
  return found;
}

/** PostgreSQL refuses to run as root. */
function asUser() {
  if (process.getuid() !== 0) return {};
  const idOf = (flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

export async function startPostgres() {
  const programs = findPrograms();
  const user = asUser();
  const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-postgres-'));
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const port = await freePort();
  const flags = ['-D', data, '-A', 'trust', '-U', 'inlet', '--encoding=UTF8', '--locale=C.UTF-8'];
  const made = spawnSync(join(programs, 'initdb'), flags, { ...user, cwd: data, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
  ];
  const child = spawn(
    join(programs, 'postgres'),
    ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    { ...user, cwd: data, stdio: 'ignore' },
  );
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const killLast = () => child.kill('SIGQUIT');
  process.once('exit', killLast);
  const url = `postgres://inlet@127.0.0.1:${port}/postgres`;

  const query = async (text) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const end = async () => {
    child.kill('SIGINT');
    await exited;
    process.off('exit', killLast);
    await removeFolder(folder);
  };
  for (const endsAt = performance.now() + startTimeoutMs; ; await pause(50)) {
    try {
      await query('SELECT 1');
      break;
    } catch (error) {
      if (performance.now() < endsAt) continue;
      await end();
      throw error;
    }
  }
  return { url, port, programs, query, end };
}
