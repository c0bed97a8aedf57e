/** Saved views as rows. */
import type { SavedView } from '../../../model/inbox.js';
import type { ViewStore } from '../../../ports/inbox.js';
import type { SqlContext } from '../context.js';
import { mapped } from '../mapping.js';

const views = mapped<SavedView>()('id accountId name formId projectId query position createdAt');

export const viewStore = ({ read, write }: SqlContext): ViewStore => {
  const ofAccount = (accountId: string) =>
    read
      .selectFrom('saved_views')
      .leftJoin('forms', 'forms.id', 'saved_views.form_id')
      .leftJoin('projects', 'projects.id', 'saved_views.project_id')
      .selectAll('saved_views')
      .where('saved_views.account_id', '=', accountId)
      .where('forms.deleted_at', 'is', null)
      .where('projects.deleted_at', 'is', null);
  return {
    async create(view) {
      await write.insertInto('saved_views').values(views.toRow(view)).execute();
    },
    async find(accountId, id) {
      const row = await ofAccount(accountId).where('saved_views.id', '=', id).executeTakeFirst();
      return row ? views.toNoun(row) : null;
    },
    async list(accountId) {
      const rows = await ofAccount(accountId)
        .orderBy('saved_views.position')
        .orderBy('saved_views.id')
        .execute();
      return rows.map(views.toNoun);
    },
    async update(view) {
      const { id, account_id, ...settings } = views.toRow(view);
      await write
        .updateTable('saved_views')
        .set(settings)
        .where('id', '=', id)
        .where('account_id', '=', account_id)
        .execute();
    },
    async delete(accountId, id) {
      const { numDeletedRows } = await write
        .deleteFrom('saved_views')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
};
