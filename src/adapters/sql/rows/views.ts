/** Saved views as rows. */
import { type SqlBool, sql } from 'kysely';
import type { SavedView } from '../../../model/inbox.js';
import type { Reach } from '../../../model/reach.js';
import type { ViewStore } from '../../../ports/inbox.js';
import { changesAny, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import { isOneOf } from '../reach.js';

const views = mapped<SavedView>()('id accountId name formId projectId query position createdAt');

/** A view of the whole account is only for users who can reach all of it. */
const isReached = (reach: Reach) => {
  const ofForm = sql`(SELECT place.project_id FROM forms AS place WHERE place.id = saved_views.form_id)`;
  return sql<SqlBool>`(saved_views.account_id = ${reach.accountId}
    AND ${isOneOf(reach, sql`coalesce(saved_views.project_id, ${ofForm})`)})`;
};

export const viewStore = ({ read, write }: SqlContext): ViewStore => {
  const ofAccount = (reach: Reach) =>
    read
      .selectFrom('saved_views')
      .leftJoin('forms', 'forms.id', 'saved_views.form_id')
      .leftJoin('projects', 'projects.id', 'saved_views.project_id')
      .selectAll('saved_views')
      .where(isReached(reach))
      .where('forms.deleted_at', 'is', null)
      .where('projects.deleted_at', 'is', null);
  return {
    async create(view) {
      await write.insertInto('saved_views').values(views.toRow(view)).execute();
    },
    async find(reach, id) {
      const row = await ofAccount(reach).where('saved_views.id', '=', id).executeTakeFirst();
      return row ? views.toNoun(row) : null;
    },
    async list(reach) {
      const rows = await ofAccount(reach).orderBy('saved_views.position').orderBy('saved_views.id').execute();
      return rows.map(views.toNoun);
    },
    update(view) {
      const { id, account_id, ...settings } = views.toRow(view);
      return changesAny(
        write
          .updateTable('saved_views')
          .set(settings)
          .where('id', '=', id)
          .where('account_id', '=', account_id),
      );
    },
    delete: (reach, id) =>
      changesAny(write.deleteFrom('saved_views').where(isReached(reach)).where('id', '=', id)),
  };
};
