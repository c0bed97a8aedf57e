/** A real PostgreSQL: loopback, a free port, temporary data, full sync. Never the machine's own cluster. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../free-port.js';

export interface PostgresServer {
  /** The URL of the database `postgres`, with a password. */
  readonly url: string;
  readonly port: number;
  /** Stops it like `pg_ctl stop -m`: `fast` cuts connections, `immediate` is a crash. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again on the same data and port. */
  start(): Promise<void>;
  /** The id of the server's first process, for signals. */
  pid(): number;
  /** Stops it and removes its data. */
  dispose(): Promise<void>;
}

const packages = '/usr/lib/postgresql';

/** The program folder of the newest installed server. Returns null when none is installed. */
export function findPostgres(): string | null {
  if (!existsSync(packages)) return null;
  const versions = readdirSync(packages)
    .filter((name) => existsSync(join(packages, name, 'bin', 'initdb')))
    .sort((a, b) => Number(b) - Number(a));
  return versions[0] === undefined ? null : join(packages, versions[0], 'bin');
}

/** PostgreSQL refuses to run as root. */
export const asUser = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
};

export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === null) throw new Error('PostgreSQL is not installed: sudo apt-get install postgresql');
  const folder = await mkdtemp(join(tmpdir(), 'inlet-postgres-'));
  const user = asUser();
  await chmod(folder, 0o755);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) await chown(data, user.uid, user.gid);
  const port = await freePort();
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-A', 'trust', '-U', 'inlet', '--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions'],
    { ...user, encoding: 'utf8', cwd: data },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const url = `postgres://inlet:unused@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | null = null;
  let log = '';

  const start = async (): Promise<void> => {
    const fixed = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
    ];
    const flags = [...fixed, ...settings].flatMap((setting) => ['-c', setting]);
    const started = spawn(join(programs, 'postgres'), ['-D', data, ...flags], { ...user, cwd: data });
    child = started;
    started.stderr.on('data', (chunk) => {
      log = (log + chunk).slice(-20_000);
    });
    let isOver = false;
    started.once('exit', () => {
      isOver = true;
    });
    while (!isOver) {
      const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
      // A server that stops during a connection is not a failure of the test.
      client.on('error', () => {});
      try {
        await client.connect();
        await client.end();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
    throw new Error(`PostgreSQL did not start:\n${log}`);
  };

  const stop = async (mode: 'fast' | 'immediate' = 'fast'): Promise<void> => {
    const ending = child;
    child = null;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await exited;
  };

  // A test run that dies must leave neither servers nor their files behind.
  const leave = (): void => {
    child?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once('exit', leave);
  await start();
  return {
    url,
    port,
    start,
    stop,
    pid() {
      if (child?.pid === undefined) throw new Error('PostgreSQL is not running');
      return child.pid;
    },
    async dispose() {
      process.off('exit', leave);
      await stop('immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Creates a separate database on a running server: empty, or a copy of a database that nobody is connected to. With copies of a migrated
 * one, the store contract took 44 s instead of 106.
 */
export async function newDatabase(
  serverUrl: string,
  template = 'template1',
): Promise<{ name: string; url: string; drop(): Promise<void> }> {
  const name = `inlet_${randomBytes(6).toString('hex')}`;
  const run = async (text: string): Promise<void> => {
    const client = new Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  await run(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { name, url: url.href, drop: () => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}
