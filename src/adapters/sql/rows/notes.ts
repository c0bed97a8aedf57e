/** Notes as rows. */
import { type SqlBool, sql } from 'kysely';
import type { Note, WrittenNote } from '../../../model/inbox.js';
import type { Reach } from '../../../model/reach.js';
import type { NoteStore } from '../../../ports/inbox.js';
import type { SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import { isOneOf } from '../reach.js';
import type { Columns } from '../schema.js';

const notes = mapped<Note>()('id accountId submissionId authorId text createdAt updatedAt');

const written = (row: Columns<Note> & { email: string | null }): WrittenNote => ({
  ...notes.toNoun(row),
  author: row.author_id !== null && row.email !== null ? { id: row.author_id, email: row.email } : null,
});

const isReached = (reach: Reach) => sql<SqlBool>`(notes.account_id = ${reach.accountId}
  AND ${isOneOf(
    reach,
    sql`(SELECT forms.project_id FROM submissions JOIN forms ON forms.id = submissions.form_id
      WHERE submissions.id = notes.submission_id)`,
  )})`;

export const noteStore = ({ read, write }: SqlContext): NoteStore => {
  const ofAccount = (reach: Reach) =>
    read
      .selectFrom('notes')
      .leftJoin('users', 'users.id', 'notes.author_id')
      .selectAll('notes')
      .select('users.email')
      .where(isReached(reach));
  return {
    async create(note) {
      await write.insertInto('notes').values(notes.toRow(note)).execute();
    },
    async count(submissionId) {
      const row = await read
        .selectFrom('notes')
        .select((e) => e.fn.countAll<number>().as('n'))
        .where('submission_id', '=', submissionId)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async find(reach, id) {
      const row = await ofAccount(reach).where('notes.id', '=', id).executeTakeFirst();
      return row ? written(row) : null;
    },
    async list(reach, submissionId) {
      const rows = await ofAccount(reach)
        .where('notes.submission_id', '=', submissionId)
        .orderBy('notes.id')
        .execute();
      return rows.map(written);
    },
    async update(reach, id, text, updatedAt) {
      await write
        .updateTable('notes')
        .set({ text, updated_at: updatedAt })
        .where(isReached(reach))
        .where('id', '=', id)
        .execute();
    },
    async delete(reach, id) {
      await write.deleteFrom('notes').where(isReached(reach)).where('id', '=', id).execute();
    },
  };
};
