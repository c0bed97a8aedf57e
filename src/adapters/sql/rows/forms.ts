/** Forms as rows. */
import type { Kysely } from 'kysely';
import type { Autoresponder } from '../../../contract/autoresponder.js';
import type { DoubleOptIn } from '../../../contract/double-opt-in.js';
import type { UnknownFields } from '../../../contract/field-rule.js';
import type { Sealer } from '../../../kernel/secrets.js';
import type {
  CaptchaProvider,
  Form,
  FormListItem,
  FormSettings,
  ValidationMode,
} from '../../../model/form.js';
import type { PlanName } from '../../../model/plans.js';
import type { FormStore } from '../../../ports/store.js';
import { atomically, listText, type SqlContext, toList, toRules } from '../context.js';
import { inReach } from '../reach.js';
import type { Columns, Flag, FormRow, Schema } from '../schema.js';
import { destinationStore } from './destinations.js';
import { moveForm, moveStep } from './moved-forms.js';
import { toProject } from './projects.js';

const flag = (value: boolean): Flag => (value ? 1 : 0);

const toForm = (row: FormRow, sealer: Sealer): Form => ({
  id: row.id,
  publicId: row.public_id,
  projectId: row.project_id,
  name: row.name,
  slug: row.slug,
  webhookUrl: row.webhook_url,
  successRedirect: row.success_redirect,
  isActive: row.is_active === 1,
  isArchived: row.is_archived === 1,
  validationMode: row.validation_mode as ValidationMode,
  allowedOrigins: toList(row.allowed_origins),
  waitForWebhook: row.wait_for_webhook === 1,
  captchaEnabled: row.captcha_enabled === 1,
  captchaProvider: row.captcha_provider as CaptchaProvider,
  captchaSiteKey: row.captcha_site_key,
  captchaSecretKey: row.captcha_secret_key === null ? null : sealer.open(row.captcha_secret_key),
  sandboxIps: toList(row.sandbox_ips),
  sandboxApiKey: row.sandbox_api_key === null ? null : sealer.open(row.sandbox_api_key),
  blockedIps: toList(row.blocked_ips),
  notifyEmails: toList(row.notify_emails),
  allowedCcEmails: toList(row.allowed_cc_emails),
  retentionDays: row.retention_days,
  fileRetentionDays: row.file_retention_days,
  redactFields: toList(row.redact_fields),
  storeIp: row.store_ip === 1,
  storeUserAgent: row.store_user_agent === 1,
  pageTitle: row.page_title,
  pageText: row.page_text,
  pageLogoUrl: row.page_logo_url,
  pageColor: row.page_color,
  fields: toRules(row.fields),
  unknownFields: row.unknown_fields as UnknownFields,
  opensAt: row.opens_at,
  closesAt: row.closes_at,
  maxSubmissions: row.max_submissions,
  hostedPage: row.hosted_page === 1,
  hostedPageTitle: row.hosted_page_title,
  hostedPageText: row.hosted_page_text,
  hostedPageIndexed: row.hosted_page_indexed === 1,
  autoresponder: row.autoresponder === null ? null : (JSON.parse(row.autoresponder) as Autoresponder),
  doubleOptIn: row.double_opt_in === null ? null : (JSON.parse(row.double_opt_in) as DoubleOptIn),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The type requires every setting: an insert alone would accept a row without the nullable columns. */
const settingsColumns = (
  settings: FormSettings,
  sealer: Sealer,
): Pick<FormRow, keyof Columns<FormSettings>> => ({
  name: settings.name,
  webhook_url: settings.webhookUrl,
  success_redirect: settings.successRedirect,
  is_active: flag(settings.isActive),
  is_archived: flag(settings.isArchived),
  validation_mode: settings.validationMode,
  allowed_origins: listText(settings.allowedOrigins),
  wait_for_webhook: flag(settings.waitForWebhook),
  captcha_enabled: flag(settings.captchaEnabled),
  captcha_provider: settings.captchaProvider,
  captcha_site_key: settings.captchaSiteKey,
  captcha_secret_key: settings.captchaSecretKey === null ? null : sealer.seal(settings.captchaSecretKey),
  sandbox_ips: listText(settings.sandboxIps),
  sandbox_api_key: settings.sandboxApiKey === null ? null : sealer.seal(settings.sandboxApiKey),
  blocked_ips: listText(settings.blockedIps),
  notify_emails: listText(settings.notifyEmails),
  allowed_cc_emails: listText(settings.allowedCcEmails),
  retention_days: settings.retentionDays,
  file_retention_days: settings.fileRetentionDays,
  redact_fields: listText(settings.redactFields),
  store_ip: flag(settings.storeIp),
  store_user_agent: flag(settings.storeUserAgent),
  page_title: settings.pageTitle,
  page_text: settings.pageText,
  page_logo_url: settings.pageLogoUrl,
  page_color: settings.pageColor,
  fields: JSON.stringify(settings.fields),
  unknown_fields: settings.unknownFields,
  opens_at: settings.opensAt,
  closes_at: settings.closesAt,
  max_submissions: settings.maxSubmissions,
  hosted_page: flag(settings.hostedPage),
  hosted_page_title: settings.hostedPageTitle,
  hosted_page_text: settings.hostedPageText,
  hosted_page_indexed: flag(settings.hostedPageIndexed),
  autoresponder: settings.autoresponder === null ? null : JSON.stringify(settings.autoresponder),
  double_opt_in: settings.doubleOptIn === null ? null : JSON.stringify(settings.doubleOptIn),
});

/** Forms that are not deleted, with their totals. */
const counted = (db: Kysely<Schema>) =>
  db
    .selectFrom('forms')
    .where('forms.deleted_at', 'is', null)
    .selectAll('forms')
    .select((e) =>
      e
        .selectFrom('form_totals')
        .whereRef('form_totals.form_id', '=', 'forms.id')
        .select((f) => f.fn.sum<number>('form_totals.submissions').as('n'))
        .as('submissions_count'),
    );

export const formStore = (context: SqlContext): FormStore => {
  const { read, write, sealer } = context;
  const toItem = (row: FormRow & { submissions_count: number | null }): FormListItem => ({
    form: toForm(row, sealer),
    submissionsCount: Number(row.submissions_count ?? 0),
  });
  return {
    async create(form) {
      await write
        .insertInto('forms')
        .values({
          ...settingsColumns(form, sealer),
          id: form.id,
          public_id: form.publicId,
          project_id: form.projectId,
          slug: form.slug,
          created_at: form.createdAt,
          updated_at: form.updatedAt,
          deleted_at: null,
          redacted_up_to: '',
        })
        .execute();
    },
    async find(reach, idOrPublicId) {
      const row = await counted(read)
        .innerJoin('projects', 'projects.id', 'forms.project_id')
        .where(inReach(reach))
        .where((e) => e.or([e('forms.id', '=', idOrPublicId), e('forms.public_id', '=', idOrPublicId)]))
        .executeTakeFirst();
      return row ? toItem(row) : null;
    },
    async findForIntake(publicIdOrAlias) {
      const living = read.selectFrom('forms').selectAll('forms').where('deleted_at', 'is', null);
      const form =
        (await living.where('public_id', '=', publicIdOrAlias).executeTakeFirst()) ??
        (await living
          .innerJoin('form_aliases', 'form_aliases.form_id', 'forms.id')
          .where('form_aliases.alias', '=', publicIdOrAlias)
          .executeTakeFirst());
      if (!form) return null;
      const project = await read
        .selectFrom('projects')
        .innerJoin('accounts', 'accounts.id', 'projects.account_id')
        .selectAll('projects')
        .select('accounts.plan')
        .where('projects.id', '=', form.project_id)
        .where('projects.deleted_at', 'is', null)
        .executeTakeFirst();
      if (!project) return null;
      return {
        form: toForm(form, sealer),
        project: toProject(project, sealer),
        destinations: await destinationStore(context).listForIntake(form.id, project.id),
        accountId: project.account_id,
        plan: project.plan as PlanName,
      };
    },
    async findWithProject(id) {
      const form = await read
        .selectFrom('forms')
        .selectAll()
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (!form) return null;
      const project = await read
        .selectFrom('projects')
        .selectAll()
        .where('id', '=', form.project_id)
        .executeTakeFirstOrThrow();
      return { form: toForm(form, sealer), project: toProject(project, sealer) };
    },
    async list(projectId, page, withArchived) {
      let query = counted(read).where('forms.project_id', '=', projectId).orderBy('forms.id');
      if (!withArchived) query = query.where('forms.is_archived', '=', 0);
      if (page) query = query.limit(page.limit);
      if (page?.after) query = query.where('forms.id', '>', page.after);
      return (await query.execute()).map(toItem);
    },
    async slugs(projectId, prefix) {
      const rows = await read
        .selectFrom('forms')
        .select('slug')
        .where('project_id', '=', projectId)
        .where('deleted_at', 'is', null)
        .where('slug', 'like', `${prefix}%`)
        .execute();
      return rows.map((row) => row.slug);
    },
    async update(id, settings, updatedAt) {
      await write
        .updateTable('forms')
        .set((e) => ({
          ...settingsColumns(settings, sealer),
          // If the fields to redact change, its submissions are walked through again.
          redacted_up_to: e
            .case()
            .when('redact_fields', '=', listText(settings.redactFields))
            .then(e.ref('redacted_up_to'))
            .else('')
            .end(),
          updated_at: updatedAt,
        }))
        .where('id', '=', id)
        .execute();
    },
    move: (id, to) => atomically(context, (db) => moveForm(context, db, id, to)),
    moveStep: () => moveStep(context),
    markDeleted: (id, deletedAt) =>
      atomically(context, async (db) => {
        await db.updateTable('forms').set({ deleted_at: deletedAt }).where('id', '=', id).execute();
        await db.deleteFrom('form_aliases').where('form_id', '=', id).execute();
      }),
  };
};
