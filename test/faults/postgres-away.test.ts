/**
 * PostgreSQL fails under load in every way it can, and comes back. In every case a success means that the submission is stored, a rejection
 * says when to retry, nothing waits forever, and no restart of the service is needed.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../cluster/cluster.js';
import { client, type MadeForm, makeForm, request } from '../support/client.js';
import { fateOf, noteFaults } from '../support/fault-counts.js';
import { type FaultyLink, openFaultyLink } from '../support/faulty-link.js';
import type { Sent } from '../support/ledger.js';
import { type Receiver, startAnswering } from '../support/receivers.js';
import { type RunningServer, startServer } from '../support/server.js';
import { type PostgresServer, startPostgres } from '../support/services/postgres.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { expectAllDelivered, expectAllThere, type Load, startLoad } from './load.js';

/** Few, so that a lost or blocked one shows. */
const poolSize = 3;
const maxConnections = 20;
/** A query may take 8 s, and connecting 5 s. */
const longestAnswerMs = 20_000;
/** From the moment when the database responds again. */
const recoveryMs = 10_000;
const writerLock = 7_231_490_001;

let postgres: PostgresServer;
let link: FaultyLink;
let proxy: TcpProxy;
let receiver: Receiver;
let server: RunningServer;
let form: MadeForm;
let load: Load | undefined;
/** What the visitors of all tests sent. */
const ledger: Sent[] = [];

beforeAll(async () => {
  postgres = await startPostgres([`max_connections=${maxConnections}`]);
  link = await openFaultyLink(postgres.port);
  proxy = await startTcpProxy({ port: link.port });
  receiver = await startAnswering();
  server = await startServer({
    env: {
      DATABASE_URL: postgres.url.replace(String(postgres.port), String(proxy.port)),
      DATABASE_POOL_SIZE: String(poolSize),
      API_RATE_LIMIT_PER_MINUTE: '10000000',
      LOG_LEVEL: 'error',
    },
  });
  form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
});
afterEach(async () => {
  // Even if a test failed in the middle of its fault, the others start without it.
  proxy.resume();
  await load?.stop();
  ledger.push(...(load?.sent ?? []));
  load = undefined;
});
afterAll(async () => {
  await server?.dispose();
  await proxy?.dispose();
  await link?.close();
  await postgres?.dispose();
  await receiver?.close();
});

/** Runs `work` in a session of another client that bypasses the link and the proxy. */
async function foreign<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: postgres.url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface Fault {
  /** Starts the fault. Resolves once it is in effect. */
  readonly begin: () => Promise<void> | void;
  /** Ends the fault. Resolves once the database responds again. */
  readonly end: () => Promise<void> | void;
  /** Whether submissions must be rejected meanwhile, or only may be. */
  readonly refuses: boolean;
}

async function underLoad({ begin, end, refuses }: Fault): Promise<void> {
  load = startLoad(server.url, form);
  await load.untilPromised(20);
  await begin();
  if (refuses) {
    await load.untilRefused(3);
    const { readiness } = load;
    await eventually(() => expect(readiness.at(-1)).toBe(503), longestAnswerMs);
  }
  await end();
  await load.untilPromised(1, recoveryMs);
  await eventually(async () => expect((await request(`${server.url}/readyz`)).status).toBe(200), recoveryMs);
  await load.untilPromised(20);
  await load.stop();
  expect(load.faults).toEqual([]);
  expect(load.slowestMs()).toBeLessThan(longestAnswerMs);
  if (refuses) expect(load.readiness.at(-1)).toBe(200);
  const listed = await expectAllThere(server.url, form, [...ledger, ...load.sent]);
  noteFaults('postgres', { faults: 1, ...fateOf(load.sent, listed) });
}

describe('PostgreSQL under load', { timeout: 180_000 }, () => {
  for (const mode of ['fast', 'immediate'] as const) {
    it(`is restarted, ${mode}`, () =>
      underLoad({
        refuses: true,
        begin: () => postgres.stop(mode),
        end: () => postgres.start(),
      }));
  }

  it('is cut off, and back', () =>
    underLoad({
      refuses: true,
      begin: () => link.become({ kind: 'down' }),
      end: () => link.become({ kind: 'none' }),
    }));

  it('loses the connections of a moment', () =>
    underLoad({ refuses: false, begin: () => proxy.cut(), end: () => {} }));

  it('stops responding: waiting requests get an error, and it is used again when it responds', () =>
    underLoad({
      refuses: true,
      begin: () => proxy.pause(),
      end: () => proxy.resume(),
    }));

  it('disappears without closing its connections: they are given up', () =>
    underLoad({
      refuses: false,
      async begin() {
        proxy.halfOpen();
        await load?.untilRefused(1);
      },
      end: () => {},
    }));

  it('ends the sessions of the service', () =>
    underLoad({
      refuses: false,
      begin: () =>
        foreign(async (session) => {
          for (let i = 0; i < 5; i += 1) {
            await session.query(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'inlet%'`,
            );
            await load?.untilPromised(1);
          }
        }),
      end: () => {},
    }));

  it('takes no writes, by a setting', () => {
    const set = (value: string) =>
      foreign(async (session) => {
        await session.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
        await session.query('SELECT pg_reload_conf()');
      });
    return underLoad({ refuses: true, begin: () => set('on'), end: () => set('off') });
  });

  it('takes no writes, as a standby that is then promoted', async () => {
    const data = await foreign(
      async (session) => (await session.query('SHOW data_directory')).rows[0]?.data_directory as string,
    );
    const note = join(data, 'standby.signal');
    try {
      await underLoad({
        refuses: true,
        async begin() {
          await postgres.stop('fast');
          await writeFile(note, '');
          await postgres.start();
        },
        end: () => foreign(async (session) => void (await session.query('SELECT pg_promote()'))),
      });
    } finally {
      await rm(note, { force: true });
    }
  });

  it('has somebody who holds the table of the submissions: the pool is used up, and free again', () =>
    foreign((holder) =>
      underLoad({
        refuses: true,
        async begin() {
          await holder.query('BEGIN');
          await holder.query('LOCK TABLE submissions IN ACCESS EXCLUSIVE MODE');
        },
        end: async () => void (await holder.query('ROLLBACK')),
      }),
    ));

  it('has a client that holds the lock of all changes: each change gets an error, and no connection breaks', () =>
    foreign((holder) =>
      underLoad({
        refuses: false,
        async begin() {
          await holder.query('BEGIN');
          await holder.query(`SELECT pg_advisory_xact_lock(${writerLock})`);
          // More than there are connections: visitors may have to wait too.
          const changes = Array.from({ length: 3 * poolSize }, (_, i) =>
            client(server.url).patch(`/api/v1/projects/${form.projectId}`, { name: `Website ${i}` }),
          );
          for (const { status } of await Promise.all(changes)) expect(status).toBe(503);
        },
        end: async () => void (await holder.query('ROLLBACK')),
      }),
    ));

  it('has no connection left for the service', async () => {
    const others: pg.Client[] = [];
    const takeAll = async (): Promise<void> => {
      for (;;) {
        const client = new pg.Client({ connectionString: postgres.url });
        client.on('error', () => {});
        try {
          await client.connect();
        } catch {
          return;
        }
        others.push(client);
      }
    };
    await underLoad({
      refuses: true,
      async begin() {
        await takeAll();
        const [first] = others;
        // The faster side gets each free connection. In the end the test has all of them.
        for (let left = 1; left > 0; ) {
          const ended = await first?.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'inlet%'`,
          );
          left = ended?.rowCount ?? 0;
          await takeAll();
        }
      },
      end: async () => void (await Promise.all(others.map((client) => client.end()))),
    });
  });

  it('has every webhook sent in the end', () => expectAllDelivered(server.url, form, receiver));

  it('none of it is a surprise to the service, and it ends as asked', async () => {
    const surprises = server
      .output()
      .split('\n')
      .filter((line) => /unexpected fault|unhandled|"level":60|"type":"(?!Store)|^\s+at /i.test(line));
    expect(surprises).toEqual([]);
    expect(await server.end()).toBe(0);
  });
});
