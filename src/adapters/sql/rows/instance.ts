/** Instance-wide values, by name. */
import type { Kysely } from 'kysely';
import type { Schema } from '../schema.js';

/** A value that only the right secret opens. It is sealed with a random nonce, so it differs between instances. */
export const sealName = 'seal_check';
export const backupName = 'backed_up_at';
export const sweepName = 'last_sweep';
export const setupName = 'setup_token';
/** How far the fields of submissions have been learned, see fields.ts. */
export const learnedName = 'fields_learned';

export const findValue = async (db: Kysely<Schema>, name: string): Promise<string | null> =>
  (await db.selectFrom('instance').select('value').where('name', '=', name).executeTakeFirst())?.value ??
  null;

export async function putValue(db: Kysely<Schema>, name: string, value: string): Promise<void> {
  await db
    .insertInto('instance')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Returns false when there is a value already, which stays. */
export async function addValue(db: Kysely<Schema>, name: string, value: string): Promise<boolean> {
  const done = await db
    .insertInto('instance')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst();
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function removeValues(db: Kysely<Schema>, ...names: readonly string[]): Promise<void> {
  await db.deleteFrom('instance').where('name', 'in', names).execute();
}
