/** /api/v1/forms/{id}/mail-preview and mail-test: a mail made from unsaved settings. */
import type { FastifyInstance } from 'fastify';
import type { AutoresponderBody } from '../../contract/autoresponder.js';
import { DestinationTest, type EmailConfig } from '../../contract/destination.js';
import { type DoubleOptIn, usualDoubleOptIn } from '../../contract/double-opt-in.js';
import { MailDraft, MailPreview, mailConfigs } from '../../contract/mail-draft.js';
import { byId } from '../../contract/shapes.js';
import type { AuditTrail } from '../../domain/audit/trail.js';
import type { Draft, DraftAbout, MailDraftService } from '../../domain/mail/drafts.js';
import type { Principal } from '../../model/account.js';
import { usualAutoresponder } from '../../model/autoresponder.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { checksOfPart } from '../validation.js';

const noRecipients = { to: [], cc: [], bcc: [] };

/** Throws the errors of settings that do not have the shape of their kind. */
function createDraftCheck(): (body: MailDraft) => Draft {
  const check = checksOfPart('config', mailConfigs);
  return ({ kind, config: sent }) => {
    const isForOwners = kind === 'notification' || kind === 'digest';
    const config: unknown = isForOwners ? { ...noRecipients, ...sent } : sent;
    const refusal = check(kind, config);
    if (refusal) throw refusal;
    // Validated by the schema of its kind.
    switch (kind) {
      case 'reply':
        return { kind, config: { ...usualAutoresponder, ...(config as AutoresponderBody) } };
      case 'confirmation':
        return { kind, config: { ...usualDoubleOptIn, ...(config as Pick<DoubleOptIn, 'field'>) } };
      default:
        return { kind, config: config as EmailConfig };
    }
  };
}

/** Three templates of 16 kB with every character escaped, and a route with 50 values. */
const maxBodyBytes = 640 * 1024;
const ById = byId('The id or the public_id of the form.');

export function mailDraftRoutes(
  app: FastifyInstance,
  { gate, mailDrafts, trail }: { gate: Gate; mailDrafts: MailDraftService; trail: AuditTrail },
): void {
  const add = routesOf(app, 'E-mail');
  const draftOf = createDraftCheck();
  const askedBy = (body: MailDraft): DraftAbout => ({
    draft: draftOf(body),
    submissionId: body.submission_id ?? null,
  });
  /** The mail shows the content of a submission. */
  const recordView = async (who: Principal, submissionId: string | null): Promise<void> => {
    if (submissionId === null) return;
    await trail.viewed(who, 'submission.viewed', { kind: 'submission', id: submissionId });
  };

  add({
    method: 'POST',
    path: '/forms/:id/mail-preview',
    operationId: 'previewMail',
    summary: 'See a mail as these settings would make it; nothing is sent or saved',
    params: ById,
    body: MailDraft,
    maxBodyBytes,
    responses: { 200: MailPreview },
    ...gate.may('forms.manage'),
    async handle({ who, params, body }) {
      const { mail, from, submissionId } = await mailDrafts.preview(who, params.id, askedBy(body));
      await recordView(who, submissionId);
      return {
        subject: mail.subject,
        from,
        to: [...mail.shownTo],
        cc: [...mail.shownCc],
        reply_to: mail.replyTo,
        text: mail.text,
        html: mail.html,
        submission_id: submissionId,
      };
    },
  });

  add({
    method: 'POST',
    path: '/forms/:id/mail-test',
    operationId: 'testMail',
    summary: 'Send a mail as these settings would make it to yourself, the user who is signed in',
    credential: 'session',
    params: ById,
    body: MailDraft,
    maxBodyBytes,
    responses: { 200: DestinationTest },
    ...gate.mayInPerson('forms.manage'),
    async handle({ who, params, body }) {
      const { to, error, durationMs, submissionId } = await mailDrafts.test(who, params.id, askedBy(body));
      await recordView(who, submissionId);
      return {
        delivered: error === null,
        status: null,
        duration_ms: durationMs,
        error,
        request: { method: 'SMTP', url: `mailto:${to}`, headers: {}, body: '' },
        response: null,
      };
    },
  });
}
