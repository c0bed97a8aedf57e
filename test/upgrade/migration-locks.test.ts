/** A migration on PostgreSQL while processes of the previous release work on the same tables in another order. */
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Cluster, newCluster } from '../cluster/cluster.js';
import { makeForm } from '../support/client.js';
import { becomes, submit } from '../support/webhooks.js';
import { schemaEleven } from './taken-back.js';

let cluster: Cluster;
let visitor: pg.Client;
beforeEach(async () => {
  cluster = await newCluster();
  visitor = new pg.Client({ connectionString: cluster.databaseUrl });
  await visitor.connect();
});
afterEach(async () => {
  await visitor.end();
  await cluster.dispose();
});

/** Whether a session waits for a lock on the table. */
const isWaitedFor = async (table: string): Promise<boolean> => {
  const watcher = new pg.Client({ connectionString: cluster.databaseUrl });
  await watcher.connect();
  try {
    const waiting = 'SELECT 1 FROM pg_locks WHERE relation = to_regclass($1) AND NOT granted';
    return (await watcher.query(waiting, [table])).rows.length > 0;
  } finally {
    await watcher.end();
  }
};

it('gives way to a transaction that waits for it, and is done after that', async () => {
  const old = await cluster.start();
  const { endpoint } = await makeForm(old.url);
  const id = await submit(endpoint, { name: 'Ada' });
  expect(await old.end()).toBe(0);
  await visitor.query(schemaEleven(true));

  // The migration changes submissions first and users later. This does it the other way round.
  await visitor.query('BEGIN');
  await visitor.query('LOCK TABLE users IN ROW EXCLUSIVE MODE');
  const starting = cluster.start();
  await becomes(
    () => isWaitedFor('users'),
    (isWaiting) => isWaiting,
  );
  await visitor.query('UPDATE submissions SET data = data WHERE id = $1', [id]);
  await visitor.query('COMMIT');

  await starting;
  const { rows } = await visitor.query('SELECT folder FROM submissions WHERE id = $1', [id]);
  expect(rows).toEqual([{ folder: 'inbox' }]);
});
