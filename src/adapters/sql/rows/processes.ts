/** The serving processes as rows. */
import type { ServingProcess } from '../../../model/process.js';
import type { ProcessRegistry } from '../../../ports/processes.js';
import { changesAny, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';

const processes = mapped<ServingProcess>()('id role host pid version startedAt seenAt');

export const processRegistry = ({ read, write }: SqlContext): ProcessRegistry => ({
  async beat(process) {
    const done = await write
      .updateTable('processes')
      .set({ seen_at: process.seenAt })
      .where('id', '=', process.id)
      .executeTakeFirst();
    if (done.numUpdatedRows > 0n) return true;
    await write
      .insertInto('processes')
      .values(processes.toRow(process))
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: process.seenAt }))
      .execute();
    return false;
  },

  async leave(id) {
    await write.deleteFrom('processes').where('id', '=', id).execute();
  },

  async list() {
    const rows = await read.selectFrom('processes').selectAll().orderBy('id').execute();
    return rows.map(processes.toNoun);
  },

  remove: (id, seenAt) =>
    changesAny(write.deleteFrom('processes').where('id', '=', id).where('seen_at', '=', seenAt)),

  async clear() {
    await write.deleteFrom('processes').execute();
  },
});
