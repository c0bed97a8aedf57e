/**
 * The delivery epoch: a number that the operator raises after restoring a database. Only processes with the same number as
 * the database send. The first one with a higher number stops everything that the restored database still has pending.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { EpochEntry } from '../../../ports/store.js';
import type { SqlEngine } from '../engine.js';
import type { Schema } from '../schema.js';
import { holdIn } from './holding.js';
import { findValue, putValue, sealName } from './instance.js';

const name = 'delivery_epoch';

/** Part of every statement that claims something to send: a restore may put an older database under a running process. */
export const epochIs = `coalesce((SELECT value FROM instance WHERE name = '${name}'), '0') = ?`;

export const isEpoch = (epoch: number): RawBuilder<boolean> => {
  const [before = '', after = ''] = epochIs.split('?');
  return sql<boolean>`${sql.raw(before)}${String(epoch)}${sql.raw(after)}`;
};

export const storedEpoch = async (db: Kysely<Schema>): Promise<number> =>
  Number((await findValue(db, name)) ?? 0);

export async function enterEpoch(
  engine: SqlEngine,
  epoch: number,
  reason: string,
  at: number,
): Promise<EpochEntry> {
  const standing = (stored: number): EpochEntry =>
    stored > epoch ? { kind: 'behind', stored } : { kind: 'current' };
  const stored = await storedEpoch(engine.read);
  if (stored >= epoch) return standing(stored);
  return engine.transaction(async (db) => {
    // If several processes start at once, the others wait here for the first. What is submitted afterwards is sent.
    await db
      .selectFrom('instance')
      .select('name')
      .where('name', '=', sealName)
      .$if(engine.rowLock !== '', (query) => query.forUpdate())
      .execute();
    const current = await storedEpoch(db);
    if (current >= epoch) return standing(current);
    const held = await holdIn(engine, db, reason, at);
    await putValue(db, name, String(epoch));
    return { kind: 'entered', held };
  });
}
