/**
 * Removes what deleted rows leave behind in the files of the tables. VACUUM marks the space of a row as free, but its bytes stay
 * in the page, and a word index still contains words that no row has. So the tables are rewritten, each under its lock.
 * Statistics contain sample values: they are collected again for these tables, and their own table is rewritten.
 * The server's log comes last (write-ahead-log.ts): all of this is in it.
 */
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

export async function removeTraces(pool: PostgresPool): Promise<TracesRemoval> {
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
