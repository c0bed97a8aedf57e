/** Projects as rows. */
import type { Kysely } from 'kysely';
import type { Sealer } from '../../../kernel/secrets.js';
import type { Project, ProjectSettings } from '../../../model/project.js';
import { type Reach, wholeAccount } from '../../../model/reach.js';
import type { Page, ProjectStore } from '../../../ports/store.js';
import { atomically, listText, type SqlContext, toList } from '../context.js';
import { inReach } from '../reach.js';
import type { ProjectRow, Schema } from '../schema.js';

export const toProject = (row: ProjectRow, sealer: Sealer): Project => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  slug: row.slug,
  webhookUrl: row.webhook_url,
  webhookSecret: sealer.open(row.webhook_secret),
  previousSecret: row.previous_secret === null ? null : sealer.open(row.previous_secret),
  previousSecretUntil: row.previous_secret_until,
  allowedOrigins: toList(row.allowed_origins),
  rateLimitPerMinute: row.rate_limit_per_minute,
  notifyEmails: toList(row.notify_emails),
  isActive: row.is_active === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const settingsColumns = (settings: ProjectSettings) => ({
  name: settings.name,
  webhook_url: settings.webhookUrl,
  allowed_origins: listText(settings.allowedOrigins),
  rate_limit_per_minute: settings.rateLimitPerMinute,
  notify_emails: listText(settings.notifyEmails),
  is_active: settings.isActive ? (1 as const) : (0 as const),
});

const secretColumns = (
  project: Pick<Project, 'webhookSecret' | 'previousSecret' | 'previousSecretUntil'>,
  sealer: Sealer,
) => ({
  webhook_secret: sealer.seal(project.webhookSecret),
  previous_secret: project.previousSecret === null ? null : sealer.seal(project.previousSecret),
  previous_secret_until: project.previousSecretUntil,
});

const living = (db: Kysely<Schema>, reach: Reach) =>
  db.selectFrom('projects').where(inReach(reach)).where('projects.deleted_at', 'is', null);

export const projectStore = (context: SqlContext): ProjectStore => {
  const { read, write, sealer } = context;
  return {
    async create(project) {
      await write
        .insertInto('projects')
        .values({
          ...settingsColumns(project),
          ...secretColumns(project, sealer),
          id: project.id,
          account_id: project.accountId,
          slug: project.slug,
          created_at: project.createdAt,
          updated_at: project.updatedAt,
          deleted_at: null,
        })
        .execute();
    },
    async find(reach, id) {
      const row = await living(read, reach).selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toProject(row, sealer) : null;
    },
    async load(id) {
      const row = await read
        .selectFrom('projects')
        .selectAll()
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return row ? toProject(row, sealer) : null;
    },
    async count(accountId) {
      const row = await living(read, wholeAccount(accountId))
        .select((e) => e.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return Number(row.n);
    },
    async list(reach, page) {
      const rows = await paged(living(read, reach), page)
        .selectAll('projects')
        .select((e) => [
          e
            .selectFrom('forms')
            .whereRef('forms.project_id', '=', 'projects.id')
            .where('forms.deleted_at', 'is', null)
            .where('forms.is_archived', '=', 0)
            .select((f) => f.fn.countAll<number>().as('n'))
            .as('forms_count'),
          e
            .selectFrom('forms')
            .innerJoin('form_totals', 'form_totals.form_id', 'forms.id')
            .whereRef('forms.project_id', '=', 'projects.id')
            .where('forms.deleted_at', 'is', null)
            .select((f) => f.fn.sum<number>('form_totals.submissions').as('n'))
            .as('submissions_count'),
        ])
        .orderBy('projects.id')
        .execute();
      return rows.map((row) => ({
        project: toProject(row, sealer),
        formsCount: Number(row.forms_count ?? 0),
        submissionsCount: Number(row.submissions_count ?? 0),
      }));
    },
    async slugs(accountId, prefix) {
      const rows = await living(read, wholeAccount(accountId))
        .select('slug')
        .where('slug', 'like', `${prefix}%`)
        .execute();
      return rows.map((row) => row.slug);
    },
    async update(id, settings, updatedAt) {
      await write
        .updateTable('projects')
        .set({ ...settingsColumns(settings), updated_at: updatedAt })
        .where('id', '=', id)
        .execute();
    },
    async setSecrets(id, secrets, updatedAt) {
      await write
        .updateTable('projects')
        .set({ ...secretColumns(secrets, sealer), updated_at: updatedAt })
        .where('id', '=', id)
        .execute();
    },
    markDeleted: (id, deletedAt) =>
      atomically(context, async (db) => {
        await db.updateTable('projects').set({ deleted_at: deletedAt }).where('id', '=', id).execute();
        await db
          .updateTable('forms')
          .set({ deleted_at: deletedAt })
          .where('project_id', '=', id)
          .where('deleted_at', 'is', null)
          .execute();
        await db
          .deleteFrom('form_aliases')
          .where('form_id', 'in', (e) =>
            e.selectFrom('forms').select('forms.id').where('project_id', '=', id),
          )
          .execute();
      }),
  };
};

const paged = (query: ReturnType<typeof living>, page: Page | null) => {
  if (!page) return query;
  const limited = query.limit(page.limit);
  return page.after === null ? limited : limited.where('projects.id', '>', page.after);
};
