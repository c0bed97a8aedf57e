/** The serving processes as rows. */
import type { Role, ServingProcess } from '../../model/process.js';
import type { ProcessRegistry } from '../../ports/processes.js';
import type { SqlContext } from './context.js';
import type { ProcessRow } from './schema.js';

const toRow = (process: ServingProcess): ProcessRow => ({
  id: process.id,
  role: process.role,
  host: process.host,
  pid: process.pid,
  version: process.version,
  started_at: process.startedAt,
  seen_at: process.seenAt,
});

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
      .values(toRow(process))
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: process.seenAt }))
      .execute();
    return false;
  },

  async leave(id) {
    await write.deleteFrom('processes').where('id', '=', id).execute();
  },

  async list() {
    const rows = await read.selectFrom('processes').selectAll().orderBy('id').execute();
    return rows.map((row) => ({
      id: row.id,
      role: row.role as Role,
      host: row.host,
      pid: row.pid,
      version: row.version,
      startedAt: row.started_at,
      seenAt: row.seen_at,
    }));
  },

  async remove(id, seenAt) {
    const done = await write
      .deleteFrom('processes')
      .where('id', '=', id)
      .where('seen_at', '=', seenAt)
      .executeTakeFirst();
    return done.numDeletedRows > 0n;
  },

  async clear() {
    await write.deleteFrom('processes').execute();
  },
});
