/**
 * Removes what deleted rows leave behind in the files of the tables. VACUUM marks the space of a row as free, but its bytes stay
 * in the page, and a word index still contains words that no row has. So the tables are rewritten, each under its lock.
 * Statistics contain sample values: they are collected again for these tables, and their own table is rewritten.
 * The server's log comes last (write-ahead-log.ts): all of this is in it.
 */
import { setTimeout } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { messageOf } from '../../../kernel/error-text.js';
import type { TracesRemoval } from '../../../ports/persons.js';
import { StoreUnavailable } from '../../../ports/store.js';
import { longAnswerMs, type PostgresPool } from './pool.js';
import { emptyWriteAheadLog } from './write-ahead-log.js';

const tables = [
  'deliveries',
  'audit_entries',
  'delivery_attempts',
  'destinations',
  'files',
  'form_fields',
  'idempotency_keys',
  'mail_counts',
  'mails',
  'notes',
  'opt_ins',
  'quarantined',
  'replays',
  'saved_views',
  'submission_search',
  'submissions',
  'suppressed_addresses',
  'turned_away_examples',
] as const;

/** Also those of other users, whose statements we may not see, and of autovacuum. */
const runningTransactions = `SELECT virtualxid AS id FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'virtualxid' AND granted AND datname = current_database() AND pid <> pg_backend_pid()`;

const patienceMs = 5_000;
const lookEveryMs = 50;

/** Waits for the transactions of now to end, for as long as most of them take. Returns whether they have. */
async function outlastTransactions(client: PoolClient): Promise<boolean> {
  const running = async (): Promise<readonly string[]> =>
    (await client.query<{ id: string }>(runningTransactions)).rows.map(({ id }) => id);
  let older = await running();
  for (let waited = 0; older.length > 0 && waited < patienceMs; waited += lookEveryMs) {
    await setTimeout(lookEveryMs);
    const now = await running();
    older = older.filter((id) => now.includes(id));
  }
  return older.length === 0;
}

export async function removeTraces(pool: PostgresPool): Promise<TracesRemoval> {
  // An older transaction, such as that of a backup, may still read the deleted rows, so a rewrite would keep them.
  if (!(await pool.use(outlastTransactions, longAnswerMs))) return 'busy';
  for (const table of tables)
    await pool.use((client) => client.query(`VACUUM (FULL, ANALYZE) ${table}`), longAnswerMs);
  await pool.use(async (client) => {
    try {
      await client.query('VACUUM FULL pg_catalog.pg_statistic');
    } catch (error) {
      throw new StoreUnavailable(
        `Samples of deleted values stay in pg_statistic: ${messageOf(error)}. Make the user of DATABASE_URL the owner of its database.`,
      );
    }
  }, longAnswerMs);
  return (await emptyWriteAheadLog(pool)) ?? 'removed';
}
