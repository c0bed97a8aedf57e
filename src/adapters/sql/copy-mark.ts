/**
 * The mark that a copy leaves in its target until it is finished and checked: whose copy it is and how far it has come.
 * While it stands there, nobody serves the database.
 */
import type { Kysely } from 'kysely';
import { sha256Hex } from '../../kernel/secrets.js';
import { StoreUnavailable } from '../../ports/store.js';
import type { BatchInsert, SqlEngine, SqlValue } from './engine.js';
import { sweepName } from './files.js';
import type { Schema } from './schema.js';

const markName = 'unfinished_copy';
/** The link that makes the first user is made anew at every start; of the new place there is no backup yet. */
const notCopied: readonly string[] = [markName, 'setup_token', 'backed_up_at', sweepName];

export interface CopyMark {
  /** Tells instances apart, also when they move. */
  readonly instance: string;
  /** First all rows, then the bytes that they speak of. */
  readonly phase: 'rows' | 'bytes';
  readonly table: string;
  /** The key of the last row of the table that is done; null: none. */
  readonly after: readonly SqlValue[] | null;
}

const replaceValue = 'ON CONFLICT (name) DO UPDATE SET value = excluded.value';

export const markInsert = (mark: CopyMark): BatchInsert => ({
  table: 'instance',
  columns: ['name', 'value'],
  rows: [[markName, JSON.stringify(mark)]],
  onConflict: replaceValue,
});

export async function findMark({ read }: SqlEngine): Promise<CopyMark | null> {
  const row = await read
    .selectFrom('instance')
    .select('value')
    .where('name', '=', markName)
    .executeTakeFirst();
  return row ? (JSON.parse(row.value) as CopyMark) : null;
}

export async function refuseUnfinishedCopy(engine: SqlEngine): Promise<void> {
  if ((await findMark(engine)) === null) return;
  throw new StoreUnavailable(
    'A copy into this database was not finished. Run the same `inlet copy` again: it goes on where it was.',
  );
}

/** What belongs to the instance as a whole, as far as a copy takes it along. */
export const instanceRows = (db: Kysely<Schema>): Promise<readonly Schema['instance'][]> =>
  db.selectFrom('instance').selectAll().where('name', 'not in', notCopied).orderBy('name').execute();

/** The value that only the right secret opens is sealed with a random number: no two instances share it. */
export async function instanceIdentity({ read }: SqlEngine): Promise<string | null> {
  const row = await read
    .selectFrom('instance')
    .select('value')
    .where('name', '=', 'seal_check')
    .executeTakeFirst();
  return row ? sha256Hex(row.value) : null;
}

/** From here on the target is the unfinished copy of that instance. */
export async function beginCopy(source: SqlEngine, target: SqlEngine, mark: CopyMark): Promise<void> {
  const rows = (await instanceRows(source.read)).map(({ name, value }) => [name, value]);
  await target.insertBatch([
    { table: 'instance', columns: ['name', 'value'], rows, onConflict: replaceValue },
    markInsert(mark),
  ]);
}

export async function endCopy({ write }: SqlEngine): Promise<void> {
  await write.deleteFrom('instance').where('name', '=', markName).execute();
}
