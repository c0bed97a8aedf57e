/** A database restored from a backup: what was sent after the backup was made is not sent again. */
import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { client, makeForm, submitJson } from '../support/client.js';
import { type Receiver, startAnswering } from '../support/receivers.js';
import { apiKey, type RunningServer } from '../support/server.js';
import { deliveriesOf } from '../support/webhooks.js';
import { type Cluster, eventually, newCluster } from './cluster.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function query<Row>(url: string, text: string): Promise<readonly Row[]> {
  const asking = new pg.Client({ connectionString: url });
  await asking.connect();
  try {
    return (await asking.query(text)).rows as Row[];
  } finally {
    await asking.end();
  }
}

/** Copies the whole database inside the server: the same as pg_dump and pg_restore, in a tenth of the time. */
function backupOf({ databaseUrl }: Cluster) {
  const admin = inject('services').databaseUrl;
  const name = new URL(databaseUrl).pathname.slice(1);
  const copy = `${name}_backup`;
  cleanups.push(() => query(admin, `DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`));
  return {
    make: () => query(admin, `CREATE DATABASE ${copy} TEMPLATE ${name}`),
    /** Replaces the database while processes are connected to it. */
    async restore() {
      await query(admin, `DROP DATABASE ${name} WITH (FORCE)`);
      await query(admin, `CREATE DATABASE ${name} TEMPLATE ${copy}`);
    },
  };
}

async function prepared(count: number) {
  const receiver = await startAnswering({ status: 204 });
  cleanups.push(() => receiver.close());
  const cluster = await newCluster({ RATE_LIMIT_PER_MINUTE: '10000000', LOG_LEVEL: 'warn' });
  cleanups.push(() => cluster.dispose());
  // Accepts submissions and sends nothing.
  const api = await cluster.start({ words: ['--role', 'api'] });
  const { endpoint, formId } = await makeForm(api.url, { form: { webhook_url: `${receiver.url}/hook` } });
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent += 50) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(50, count - sent) }, (_, i) => submitJson(endpoint, { n: sent + i })),
    );
    for (const { body } of answers) ids.push(body.submission_id);
  }
  await api.end();
  const backup = backupOf(cluster);
  await backup.make();
  return { receiver, cluster, backup, formId, ids, path: new URL(endpoint).pathname };
}

const idsAt = (receiver: Receiver): string[] =>
  receiver.requests.map(({ headers }) => headers.get('webhook-id') ?? '');

const heldLines = (server: RunningServer): number =>
  server.output().split('DELIVERY_EPOCH was raised: everything that was pending is held').length - 1;

const statesIn = ({ databaseUrl }: Cluster) =>
  query<{ state: string; n: number; held: number }>(
    databaseUrl,
    `SELECT state, count(*)::integer AS n, count(a.delivery_id)::integer AS held FROM deliveries
     LEFT JOIN delivery_attempts a ON a.delivery_id = deliveries.id AND a.error LIKE 'held: DELIVERY_EPOCH%'
     GROUP BY state ORDER BY state`,
  );

/** Submitted after everything older: once it arrives, whatever else would be sent has arrived. */
async function submitAndReceive(server: RunningServer, path: string, receiver: Receiver): Promise<string> {
  const before = receiver.requests.length;
  const { status, body } = await submitJson(server.url + path, { after: 'the restore' });
  expect(status).toBe(200);
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(before), 45_000);
  return body.submission_id;
}

describe('a restored PostgreSQL', () => {
  it('sends nothing again once the epoch is raised, whoever starts first, and goes on with what is new', async () => {
    const { receiver, cluster, backup, formId, ids, path } = await prepared(500);
    const first = await cluster.start();
    await eventually(() => expect(receiver.requests).toHaveLength(500), 30_000);
    await first.end();
    expect(new Set(idsAt(receiver)).size).toBe(500);

    await backup.restore();
    expect(await statesIn(cluster)).toEqual([{ state: 'pending', n: 500, held: 0 }]);
    const env = { DELIVERY_EPOCH: '1' };
    const servers = await Promise.all([cluster.start({ env }), cluster.start({ env })]);
    expect(servers.map(heldLines).sort()).toEqual([0, 1]);
    expect(await statesIn(cluster)).toEqual([{ state: 'failed', n: 500, held: 500 }]);
    const [one] = servers;
    if (!one) throw new Error('nobody');
    const added = await submitAndReceive(one, path, receiver);
    expect(receiver.requests).toHaveLength(501);

    const api = client(one.url, apiKey);
    const [held] = await deliveriesOf(api, ids[0] ?? '');
    expect(held).toMatchObject({ state: 'failed', attempts: [{ error: expect.stringMatching(/^held: /) }] });
    await eventually(async () => {
      expect(await deliveriesOf(api, added)).toMatchObject([{ state: 'delivered' }]);
    }, 45_000);
    const again = await api.post('/api/v1/deliveries/replay', { form_id: formId, dry_run: true });
    expect(again.body.count).toBe(500);

    for (const server of servers) await server.end();
    // One process was started without the new epoch.
    await expect(cluster.start()).rejects.toThrow(
      'DELIVERY_EPOCH is 0, but the database has 1: it was raised for another process. Set DELIVERY_EPOCH=1 for every process.',
    );
  });

  it('beneath a running process with a higher epoch makes it hold, not send', async () => {
    const { receiver, cluster, backup, path } = await prepared(20);
    const server = await cluster.start({ env: { DELIVERY_EPOCH: '3' } });
    expect(heldLines(server)).toBe(1);
    await submitAndReceive(server, path, receiver);
    await backup.restore();
    expect(await statesIn(cluster)).toEqual([{ state: 'pending', n: 20, held: 0 }]);
    await eventually(async () => {
      expect(await statesIn(cluster)).toEqual([{ state: 'failed', n: 20, held: 20 }]);
    }, 40_000);
    await submitAndReceive(server, path, receiver);
    expect(receiver.requests).toHaveLength(2);
    expect(heldLines(server)).toBe(2);
  });
});
