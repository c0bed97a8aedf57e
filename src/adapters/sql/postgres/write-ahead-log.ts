/**
 * Removes old rows from the write-ahead log. After a checkpoint the server can drop the older segments, but by default it only
 * renames them for reuse. Switching to the next segment fills the rest of the current one with zeros. So after a checkpoint,
 * switching as often as there are segments overwrites all of them, with at most max_wal_size. With wal_recycle off, there are none.
 */
import type { PoolClient } from 'pg';
import type { TracesLeft } from '../../../ports/persons.js';
import { longAnswerMs, type PostgresPool } from './pool.js';

/** An archive or a standby may need the segments for a moment longer. */
const rounds = 3;

interface Rights {
  readonly is_superuser: boolean;
  readonly checkpoints: boolean;
  readonly functions: boolean;
  readonly remedy: string;
}

const rightsText = `SELECT rolsuper AS is_superuser,
  EXISTS (SELECT FROM pg_roles AS given WHERE given.rolname = 'pg_checkpoint' AND pg_has_role(given.oid, 'USAGE')) AS checkpoints,
  has_function_privilege('pg_switch_wal()', 'EXECUTE') AND has_function_privilege('pg_ls_waldir()', 'EXECUTE') AS functions,
  format('As a superuser, in the database %I: GRANT pg_checkpoint TO %I; GRANT EXECUTE ON FUNCTION pg_switch_wal(), pg_ls_waldir() TO %2$I;',
    current_database(), rolname) AS remedy
  FROM pg_roles WHERE rolname = current_user`;

async function missingRights(client: PoolClient): Promise<TracesLeft | null> {
  const { rows } = await client.query<Rights>(rightsText);
  const [rights] = rows;
  if (rights?.is_superuser || (rights?.checkpoints && rights.functions)) return null;
  return {
    reason:
      'The write-ahead log of PostgreSQL keeps what was erased until the server overwrites it: the user of DATABASE_URL may not empty it',
    remedy: `${rights?.remedy ?? ''} Before PostgreSQL 15 only a superuser may.`,
  };
}

/** By position, regardless of their timeline. */
const segments = `SELECT substr(name, 9) COLLATE "C" AS position FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'`;

/** Returns the segment that was current. Without a record in between, a second switch would do nothing. */
async function switchSegment(client: PoolClient): Promise<string> {
  await client.query(`SELECT pg_logical_emit_message(false, 'inlet', '')`);
  const { rows } = await client.query<{ name: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS name');
  return rows[0]?.name ?? '';
}

async function countSegments(client: PoolClient, where: string, segment: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*) AS count FROM (${segments}) AS segment WHERE position ${where} substr($1, 9)`,
    [segment],
  );
  return rows[0]?.count ?? 0;
}

async function emptySegments(client: PoolClient): Promise<TracesLeft | null> {
  const last = await switchSegment(client);
  let held = 0;
  for (let round = 0; round < rounds; round += 1) {
    await client.query('CHECKPOINT');
    held = await countSegments(client, '<=', last);
    // The current segment may also be a reused one whose end is not overwritten yet.
    const current = await switchSegment(client);
    for (let left = await countSegments(client, '>', current); left > 0; left -= 1)
      await switchSegment(client);
    if (held === 0) return null;
  }
  return {
    reason: `The write-ahead log of PostgreSQL keeps what was erased: the server holds back ${held} of its old segments`,
    remedy:
      'They go when nothing needs them any more: look at pg_replication_slots, pg_stat_archiver and wal_keep_size.',
  };
}

/** What would remain of an erasure, as far as that can be known beforehand. Returns null for nothing. */
export const expectedInLog = (pool: PostgresPool): Promise<TracesLeft | null> => pool.use(missingRights);

/** Returns what remains, or null for nothing. */
export const emptyWriteAheadLog = (pool: PostgresPool): Promise<TracesLeft | null> =>
  pool.use(async (client) => (await missingRights(client)) ?? emptySegments(client), longAnswerMs);
