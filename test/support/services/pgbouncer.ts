/** A real PgBouncer in front of a PostgreSQL: loopback, a free port, few connections to the server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../free-port.js';
import { asUser } from './postgres.js';

export interface PgBouncer {
  /** The URL of the same database through the pooler. */
  readonly url: string;
  dispose(): Promise<void>;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

export async function startPgBouncer(
  databaseUrl: string,
  mode: 'session' | 'transaction' | 'statement',
  serverConnections: number,
): Promise<PgBouncer> {
  const server = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'inlet-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`);
  await writeFile(
    settings,
    [
      '[databases]',
      `* = host=${server.hostname} port=${server.port || '5432'}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      `pool_mode = ${mode}`,
      `default_pool_size = ${serverConnections}`,
      'max_client_conn = 500',
      '',
    ].join('\n'),
  );
  const child: ChildProcess = spawn('pgbouncer', [settings], {
    ...asUser(),
    // On Debian, servers are not on the PATH of ordinary users.
    env: { PATH: [process.env.PATH, '/usr/sbin'].join(delimiter) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  let isOver = false;
  child.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-20_000);
  });
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      log += error.message;
      isOver = true;
      resolve();
    });
    child.once('exit', () => {
      isOver = true;
      resolve();
    });
  });
  const leave = (): void => void child.kill('SIGKILL');
  process.once('exit', leave);
  while (!(await answers(port))) {
    if (isOver) throw new Error(`PgBouncer did not start (sudo apt-get install pgbouncer):\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    async dispose() {
      process.off('exit', leave);
      child.kill('SIGQUIT');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
