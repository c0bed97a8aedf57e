/** PgBouncer between the service and PostgreSQL: nothing fails, and nothing is left behind in sessions that other clients reuse. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { inlet } from '../support/cli.js';
import { type Answer, client, type MadeForm, makeForm, submitJson } from '../support/client.js';
import { type RunningServer, startServer, temporaryFolder } from '../support/server.js';
import { type PgBouncer, startPgBouncer } from '../support/services/pgbouncer.js';
import { newDatabase } from '../support/services/postgres.js';

const requests = 1_600;
const atOnce = 24;
/** Fewer than either process opens, so that each transaction may run on a different one. */
const serverConnections = 4;

let database: Awaited<ReturnType<typeof newDatabase>>;
const ending: { dispose(): Promise<void> }[] = [];
beforeAll(async () => {
  database = await newDatabase(inject('services').databaseUrl);
});
afterEach(async () => {
  for (const one of ending.splice(0).reverse()) await one.dispose();
});
afterAll(() => database?.drop());

async function pooler(mode: Parameters<typeof startPgBouncer>[1]): Promise<PgBouncer> {
  const started = await startPgBouncer(database.url, mode, serverConnections);
  ending.push(started);
  return started;
}

async function serve(url: string): Promise<RunningServer> {
  const server = await startServer({
    env: { DATABASE_URL: url, INLET_SECRET: 's'.repeat(40), API_RATE_LIMIT_PER_MINUTE: '1000000' },
  });
  ending.push(server);
  return server;
}

/** What an owner and visitors do, in turn. Each is a different mix of batches, transactions and single statements. */
async function work({ url }: RunningServer, form: MadeForm, turn: number): Promise<readonly Answer[]> {
  const api = client(url);
  const sent = await submitJson(`${url}/f/${form.publicId}`, { turn, words: `word${turn}` });
  const submissions = `/api/v1/forms/${form.formId}/submissions`;
  switch (turn % 4) {
    case 0:
      return [sent, await api.get(`${submissions}?limit=5`)];
    case 1:
      return [sent, await api.patch(`/api/v1/forms/${form.formId}`, { name: `Form ${turn}` })];
    case 2:
      return [sent, await api.delete(`/api/v1/submissions/${sent.body?.submission_id}`)];
    default:
      return [sent, await api.get(`${submissions}?limit=5&q=word${turn}`)];
  }
}

describe('in transaction mode', () => {
  it(`not one of ${requests} requests fails, and sessions stay as they were`, async () => {
    const { url } = await pooler('transaction');
    // The first start creates the tables.
    const servers = [await serve(url), await serve(url)];
    const form = await makeForm(servers[0]?.url ?? '');
    const failed: string[] = [];
    let turn = 0;
    const oneAfterTheOther = async (): Promise<void> => {
      for (let mine = turn++; mine < requests / 2; mine = turn++) {
        const server = servers[mine % servers.length];
        if (!server) throw new Error('no server');
        for (const { status, text } of await work(server, form, mine)) {
          if (status >= 300) failed.push(`${mine}: ${status} ${text.slice(0, 200)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, oneAfterTheOther));
    expect(failed).toEqual([]);

    const left = await Promise.all(Array.from({ length: serverConnections }, () => sessionState(url)));
    for (const state of left) {
      expect(state).toEqual({
        statement_timeout: '0',
        lock_timeout: '0',
        commit: 'on',
        prepared: 0,
        listening: 0,
      });
    }
    for (const server of servers) {
      expect(server.output()).not.toMatch(/"level":(50|60)/);
      expect(server.output().match(/a connection pooler carries no notifications/g)).toHaveLength(1);
    }
  });
});

/** In a short transaction, so that several at once see several of the server connections. */
async function sessionState(url: string): Promise<unknown> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  try {
    const { rows } = await session.query(`SELECT current_setting('statement_timeout') AS statement_timeout,
      current_setting('lock_timeout') AS lock_timeout, current_setting('synchronous_commit') AS commit,
      (SELECT count(*)::integer FROM pg_prepared_statements) AS prepared,
      (SELECT count(*)::integer FROM pg_listening_channels()) AS listening FROM pg_sleep(0.3)`);
    return rows[0];
  } finally {
    await session.end();
  }
}

it('in session mode everything works', async () => {
  const { url } = await startPgBouncer(database.url, 'session', 40).then((started) => {
    ending.push(started);
    return started;
  });
  const server = await serve(url);
  const form = await makeForm(server.url);
  for (let turn = 0; turn < 8; turn += 1) {
    for (const { status, text } of await work(server, form, turn)) expect(status, text).toBeLessThan(300);
  }
});

it('statement mode, which allows no transactions, is refused at the start', async () => {
  const { url } = await pooler('statement');
  const dataDir = await temporaryFolder();
  const env = { DATABASE_URL: url, HOST: '127.0.0.1', PORT: '0', BASE_URL: 'http://localhost' };
  const refused = await inlet(['serve'], { dataDir, env });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^The pooler at DATABASE_URL allows no transactions\. Set its pool_mode/m);
});
