/**
 * The mark that a copy leaves in its target until it is finished and checked: which instance it copies and how far it got.
 * A database with this mark is not served.
 */
import type { Kysely } from 'kysely';
import { sha256Hex } from '../../../kernel/secrets.js';
import { StoreUnavailable } from '../../../ports/store.js';
import type { BatchInsert, SqlEngine, SqlValue } from '../engine.js';
import { backupName, findValue, removeValues, sealName, setupName, sweepName } from '../rows/instance.js';
import type { Schema } from '../schema.js';

const markName = 'unfinished_copy';
/** Created again at every start, or specific to the source: its backups and its files. */
const notCopied: readonly string[] = [markName, setupName, backupName, sweepName];

export interface CopyMark {
  /** Identifies the instance, even after a move. */
  readonly instance: string;
  /** First all rows, then the bytes that they refer to. */
  readonly phase: 'rows' | 'bytes';
  readonly table: string;
  /** The key of the last copied row of the table; null if there is none yet. */
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
  const text = await findValue(read, markName);
  return text === null ? null : (JSON.parse(text) as CopyMark);
}

export async function refuseUnfinishedCopy(engine: SqlEngine): Promise<void> {
  if ((await findMark(engine)) === null) return;
  throw new StoreUnavailable(
    'A copy into this database was not finished. Run the same `inlet copy` again: it goes on where it was.',
  );
}

/** The instance-wide values that a copy includes. */
export const instanceRows = (db: Kysely<Schema>): Promise<readonly Schema['instance'][]> =>
  db.selectFrom('instance').selectAll().where('name', 'not in', notCopied).orderBy('name').execute();

export async function instanceIdentity({ read }: SqlEngine): Promise<string | null> {
  const sealed = await findValue(read, sealName);
  return sealed === null ? null : sha256Hex(sealed);
}

/** Copies the instance-wide values and marks the target as an unfinished copy. */
export async function beginCopy(source: SqlEngine, target: SqlEngine, mark: CopyMark): Promise<void> {
  const rows = (await instanceRows(source.read)).map(({ name, value }) => [name, value]);
  await target.insertBatch([
    { table: 'instance', columns: ['name', 'value'], rows, onConflict: replaceValue },
    markInsert(mark),
  ]);
}

export const endCopy = ({ write }: SqlEngine): Promise<void> => removeValues(write, markName);
