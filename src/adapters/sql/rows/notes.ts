/** Notes as rows. */
import type { Note, WrittenNote } from '../../../model/inbox.js';
import type { NoteStore } from '../../../ports/inbox.js';
import type { SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import type { Columns } from '../schema.js';

const notes = mapped<Note>()('id accountId submissionId authorId text createdAt updatedAt');

const written = (row: Columns<Note> & { email: string | null }): WrittenNote => ({
  ...notes.toNoun(row),
  author: row.author_id !== null && row.email !== null ? { id: row.author_id, email: row.email } : null,
});

export const noteStore = ({ read, write }: SqlContext): NoteStore => {
  const ofAccount = (accountId: string) =>
    read
      .selectFrom('notes')
      .leftJoin('users', 'users.id', 'notes.author_id')
      .selectAll('notes')
      .select('users.email')
      .where('notes.account_id', '=', accountId);
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
    async find(accountId, id) {
      const row = await ofAccount(accountId).where('notes.id', '=', id).executeTakeFirst();
      return row ? written(row) : null;
    },
    async list(accountId, submissionId) {
      const rows = await ofAccount(accountId)
        .where('notes.submission_id', '=', submissionId)
        .orderBy('notes.id')
        .execute();
      return rows.map(written);
    },
    async update(accountId, id, text, updatedAt) {
      await write
        .updateTable('notes')
        .set({ text, updated_at: updatedAt })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute();
    },
    async delete(accountId, id) {
      await write.deleteFrom('notes').where('account_id', '=', accountId).where('id', '=', id).execute();
    },
  };
};
