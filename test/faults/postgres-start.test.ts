/**
 * PostgreSQL cannot be used when the service starts. The service waits if the database is unavailable. Where waiting would not help, it
 * exits with one sentence that says why. Neither shows a password.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inlet } from '../support/cli.js';
import {
  apiKey,
  entry,
  freePort,
  plainEnvironment,
  startServer,
  temporaryFolder,
} from '../support/server.js';
import { type PostgresServer, startPostgres } from '../support/services/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

const password = 'correct-horse-7';
const wrongPassword = 'battery-staple-8';

let postgres: PostgresServer;
let url: URL;
let dataDir: string;

const foreign = async <T>(work: (session: pg.Client) => Promise<T>): Promise<T> => {
  const session = new pg.Client({ connectionString: url.href });
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
};

const set = (setting: string, value: string): Promise<void> =>
  foreign(async (session) => {
    await session.query(`ALTER SYSTEM SET ${setting} = ${value}`);
    await session.query('SELECT pg_reload_conf()');
    // New sessions see it a moment later.
    await expect
      .poll(() => foreign(async (other) => (await other.query(`SHOW ${setting}`)).rows[0]?.[setting]))
      .toBe(value);
  });

beforeAll(async () => {
  postgres = await startPostgres(['max_connections=8', 'superuser_reserved_connections=0']);
  url = new URL(postgres.url);
  dataDir = await temporaryFolder();
  const hba = await foreign(async (session) => {
    await session.query(`ALTER ROLE inlet PASSWORD '${password}'`);
    return (await session.query('SHOW hba_file')).rows[0]?.hba_file as string;
  });
  await writeFile(hba, 'host all all 127.0.0.1/32 scram-sha-256\n');
  url.password = password;
  await foreign((session) => session.query('SELECT pg_reload_conf()'));
});
afterAll(() => postgres?.dispose());

const changed = (change: (other: URL) => void): string => {
  const other = new URL(url);
  change(other);
  return other.href;
};

async function expectRefused(databaseUrl: string, why: RegExp): Promise<void> {
  const address = { HOST: '127.0.0.1', PORT: '0', BASE_URL: 'http://localhost' };
  const env = { ...address, DATABASE_URL: databaseUrl, INLET_API_KEY: apiKey };
  const { code, stdout, stderr } = await inlet(['serve'], { dataDir, env });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trim()).toMatch(why);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  for (const secret of [password, wrongPassword]) expect(stderr).not.toContain(secret);
}

interface Waiting {
  readonly process: ChildProcess;
  readonly url: string;
  readonly exited: Promise<number | null>;
  output(): string;
}

/** `inlet serve` that has logged that it waits, and why. */
async function expectWaiting(
  databaseUrl: string,
  why: RegExp,
  words: readonly string[] = [],
): Promise<Waiting> {
  const port = await freePort();
  const child = spawn(process.execPath, [entry, 'serve', ...words], {
    env: {
      ...plainEnvironment(),
      ...{ HOST: '127.0.0.1', PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` },
      ...{ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, INLET_API_KEY: apiKey },
      // The server allows eight connections.
      DATABASE_POOL_SIZE: '2',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  started.push(child);
  await expect.poll(() => output).toContain('waiting for the database');
  const [line = ''] = output.split('\n');
  expect(JSON.parse(line)).toMatchObject({ level: 40, reason: expect.stringMatching(why) });
  for (const secret of [password, wrongPassword]) expect(output).not.toContain(secret);
  return { process: child, url: `http://127.0.0.1:${port}`, exited, output: () => output };
}

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

async function expectEndsAtOnce({ process: child, exited }: Waiting): Promise<void> {
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
}

const healthy = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

// systemd gives up on a service that keeps exiting: after a power cut it would stay down.
describe('the service waits', () => {
  it('where nobody listens, and ends at once when asked', async () => {
    const port = String(await freePort());
    const other = changed((one) => {
      one.port = port;
    });
    await expectEndsAtOnce(await expectWaiting(other, /ECONNREFUSED 127\.0\.0\.1:\d+/));
  });

  it('where somebody listens and says nothing', async () => {
    const open = new Set<Socket>();
    const silent = createServer((socket) => void open.add(socket.on('error', () => {})));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    try {
      const other = changed((one) => {
        one.port = port;
      });
      await expectWaiting(other, /PostgreSQL: .*time/);
    } finally {
      for (const socket of open) socket.destroy();
      silent.close();
    }
  });

  it('where all connections are taken, until one is free', async () => {
    const others: pg.Client[] = [];
    try {
      for (let isFull = false; !isFull; ) {
        const other = new pg.Client({ connectionString: url.href });
        await other.connect().then(
          () => others.push(other),
          () => {
            isFull = true;
          },
        );
      }
      const waiting = await expectWaiting(url.href, /too many clients/);
      await Promise.all(others.splice(0).map((other) => other.end()));
      await expect.poll(() => healthy(waiting.url)).toBe(true);
      await expectEndsAtOnce(waiting);
    } finally {
      await Promise.all(others.map((other) => other.end()));
    }
  });

  it('until the server is back, in several processes too', async () => {
    const link = await startTcpProxy({ port: postgres.port });
    link.pause();
    try {
      const through = changed((one) => {
        one.port = String(link.port);
      });
      const waiting = await expectWaiting(through, /PostgreSQL: .*time/, ['--processes', '2']);
      expect(await healthy(waiting.url)).toBe(false);
      link.resume();
      await expect.poll(() => waiting.output()).toContain('Processes  2');
      await expectEndsAtOnce(waiting);
    } finally {
      await link.dispose();
    }
  });
});

describe('the service does not start', () => {
  it('with a wrong password', () =>
    expectRefused(
      changed((other) => {
        other.password = wrongPassword;
      }),
      /password authentication failed/,
    ));

  it('on a database that is not there', () =>
    expectRefused(
      changed((other) => {
        other.pathname = '/nowhere';
      }),
      /database "nowhere" does not exist/,
    ));

  it('on a server that does not sync what it commits', async () => {
    await set('fsync', 'off');
    try {
      await expectRefused(url.href, /does not sync what it commits .*Set both to on\.$/);
    } finally {
      await set('fsync', 'on');
    }
  });

  it('on a database that takes no writes', async () => {
    await set('default_transaction_read_only', 'on');
    try {
      await expectRefused(url.href, /read-only/);
    } finally {
      await set('default_transaction_read_only', 'off');
    }
  });

  it('and does, when none of this is so', async () => {
    const server = await startServer({ dataDir, env: { DATABASE_URL: url.href, DATABASE_POOL_SIZE: '2' } });
    expect(await server.end()).toBe(0);
    expect(server.output()).not.toContain(password);
    await server.dispose();
  });
});
