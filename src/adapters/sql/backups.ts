/** When the last backup was made, as a row of the instance. */
import type { SqlEngine } from './engine.js';

const name = 'backed_up_at';

export async function lastBackupAt({ read }: SqlEngine): Promise<number | null> {
  const row = await read.selectFrom('instance').select('value').where('name', '=', name).executeTakeFirst();
  if (row) return Number(row.value);
  const submission = await read.selectFrom('submissions').select('id').limit(1).executeTakeFirst();
  return submission ? 0 : null;
}

export async function recordBackup({ write }: SqlEngine, at: number): Promise<void> {
  const value = String(at);
  await write
    .insertInto('instance')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
