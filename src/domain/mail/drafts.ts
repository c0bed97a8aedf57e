/**
 * Mails as unsaved settings would produce them, by the same composers that send. They are shown, or sent only to the user who
 * requests them, whatever the settings say.
 */
import type { Autoresponder } from '../../contract/autoresponder.js';
import type { EmailConfig } from '../../contract/destination.js';
import type { DoubleOptIn } from '../../contract/double-opt-in.js';
import { type Clock, secondsUntil } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Principal, PrincipalInPerson } from '../../model/account.js';
import { visitorAddress } from '../../model/autoresponder.js';
import { addressesIn } from '../../model/email-settings.js';
import { refuse } from '../../model/errors.js';
import { fieldLabels } from '../../model/field-labels.js';
import type { OptIn, OptInMail } from '../../model/opt-in.js';
import { noFilter, type SubmissionWithFiles } from '../../model/submission.js';
import type { Counters } from '../../ports/counters.js';
import type { DeliverySubject } from '../../ports/deliveries.js';
import type { DigestContent } from '../../ports/digests.js';
import { type Mailer, type MailMessage, noMailServer } from '../../ports/mailer.js';
import type { FormAndProject, Store } from '../../ports/store.js';
import { sampleSubmission } from '../deliveries/send-test.js';
import type { FormService } from '../forms/service.js';
import { optInMail } from '../opt-in/mail.js';
import { refuseBadOptIn } from '../opt-in/rules.js';
import { refuseBadTemplates } from '../planning/check-templates.js';
import type { ReplyInput } from '../replies/compose.js';

export type Draft =
  | { readonly kind: 'notification' | 'digest'; readonly config: EmailConfig }
  | { readonly kind: 'reply'; readonly config: Autoresponder }
  | { readonly kind: 'confirmation'; readonly config: DoubleOptIn };

export interface DraftAbout {
  readonly draft: Draft;
  /** null: the newest of the form, or a sample if there is none. */
  readonly submissionId: string | null;
}

/** The composers that send, with everything they need to know. */
export interface MailComposers {
  notification(mail: Envelope, about: DeliverySubject, config: EmailConfig): MailMessage;
  digest(mail: Envelope, content: DigestContent, config: EmailConfig): MailMessage;
  reply(input: ReplyInput): MailMessage;
  confirmation(id: string, mail: OptInMail): MailMessage;
}

interface Envelope {
  readonly id: string;
  readonly recipient: string;
}

export interface PreviewedMail {
  readonly mail: MailMessage;
  /** null: there is no mail server. */
  readonly from: string | null;
  /** null: it is about a sample. */
  readonly submissionId: string | null;
}

export interface TestedMail {
  readonly to: string;
  /** null: the mail server has accepted it. */
  readonly error: string | null;
  readonly durationMs: number;
  /** null: it is about a sample. */
  readonly submissionId: string | null;
}

export interface MailDraftService {
  preview(who: Principal, formId: string, about: DraftAbout): Promise<PreviewedMail>;
  /** Sends it to the address that this user signs in with. */
  test(who: PrincipalInPerson, formId: string, about: DraftAbout): Promise<TestedMail>;
}

export interface MailDraftDeps {
  readonly store: Store;
  readonly forms: FormService;
  readonly composers: MailComposers;
  /** null: no mail server is set. */
  readonly mailer: Mailer | null;
  /** From MAIL_FROM. */
  readonly sender: { readonly name: string; readonly address: string } | null;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly baseUrl: string;
}

const testsPerHour = 20;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const digestRows = 50;
/** The recipient while the settings name none. */
const sampleAddress = 'you@example.com';

export function createMailDrafts(deps: MailDraftDeps): MailDraftService {
  const { store, forms, composers, mailer, sender, counters, clock, baseUrl } = deps;

  const submissionsOf = async (
    who: Principal,
    { form, project }: FormAndProject,
    { draft, submissionId }: DraftAbout,
  ): Promise<Newest> => {
    if (submissionId !== null) {
      const found = isUuid(submissionId) ? await store.submissions.find(who, submissionId) : null;
      if (found?.formId !== form.id) throw refuse.submissionNotFound();
      return { newest: [found], isSample: false };
    }
    const limit = draft.kind === 'digest' ? digestRows : 1;
    const { items } = await store.submissions.list({ kind: 'form', formId: form.id }, noFilter, {
      limit,
      after: null,
    });
    const [first, ...others] = items;
    if (first) return { newest: [first, ...others], isSample: false };
    const sample = { ...sampleSubmission(project, form, clock.now()), files: [], deliveryState: null };
    return { newest: [sample], isSample: true };
  };

  const composed = (
    { form, project }: FormAndProject,
    draft: Draft,
    { newest }: Newest,
    recipient: string,
  ): MailMessage => {
    const [submission] = newest;
    const id = newId(clock.now());
    switch (draft.kind) {
      case 'notification':
        return composers.notification({ id, recipient }, { submission, form, project }, draft.config);
      case 'digest':
        return composers.digest({ id, recipient }, digestOf({ form, project }, newest), draft.config);
      case 'reply':
        return composers.reply({
          ...{ mailId: id, recipient, autoresponder: draft.config, form, project, submission },
        });
      case 'confirmation': {
        const expiresAt = clock.now() + draft.config.expires_days * dayMs;
        const optIn = {
          ...pending,
          submissionId: submission.id,
          formId: form.id,
          address: recipient,
          expiresAt,
        };
        const owner = { form: { ...form, doubleOptIn: draft.config }, project };
        // A placeholder for the signed link: it confirms nothing.
        return composers.confirmation(id, optInMail(optIn, owner, `${baseUrl}/confirm/preview`));
      }
    }
  };

  const compose = async (who: Principal, formId: string, about: DraftAbout, to: string | null) => {
    refuseBad(about.draft);
    const { form } = await forms.get(who, formId);
    const owner = await store.forms.findWithProject(form.id);
    if (!owner) throw refuse.formNotFound();
    const found = await submissionsOf(who, owner, about);
    const mail = composed(owner, about.draft, found, to ?? recipientOf(about.draft, found.newest[0]));
    return { mail, submissionId: found.isSample ? null : found.newest[0].id };
  };

  const countTest = async (userId: string): Promise<void> => {
    const { count, resetsAt } = await counters.hit(`mail test ${userId}`, hourMs);
    if (count > testsPerHour)
      throw refuse.tooManyTestMails(testsPerHour, secondsUntil(resetsAt, clock.now()));
  };

  return {
    async preview(who, formId, about) {
      const { mail, submissionId } = await compose(who, formId, about, null);
      return { mail, submissionId, from: sender && shownSender(sender, mail.fromName) };
    },

    async test(who, formId, about) {
      const to = who.email;
      const { mail, submissionId } = await compose(who, formId, about, to);
      await countTest(who.userId);
      if (!mailer) return { to, error: noMailServer, durationMs: 0, submissionId };
      const startedAt = clock.now();
      // Its unsubscribe links have no effect, so mail programs are not offered one.
      const own = { ...mail, to, shownTo: [to], shownCc: [], unsubscribeUrl: null };
      const outcome = await mailer.send(own);
      const durationMs = Math.max(0, clock.now() - startedAt);
      return {
        to,
        durationMs,
        submissionId,
        error: outcome.kind === 'sent' ? null : `mail_server: ${outcome.detail}`,
      };
    },
  };
}

/** Never empty: at least a sample. */
interface Newest {
  readonly newest: readonly [SubmissionWithFiles, ...SubmissionWithFiles[]];
  readonly isSample: boolean;
}

const pending = {
  language: 'en',
  sentAt: null,
  confirmedAt: null,
  ip: null,
  userAgent: null,
} as const satisfies Partial<OptIn>;

/** Rejects what saving would reject, except what does not show in a mail. */
function refuseBad({ kind, config }: Draft): void {
  if (kind === 'confirmation') {
    refuseBadOptIn('config', config);
    return;
  }
  const { subject = null, text = null, html = null } = config;
  refuseBadTemplates('config', { subject, text, html });
}

function recipientOf({ config }: Draft, { data }: SubmissionWithFiles): string {
  if ('to' in config) return addressesIn(config)[0] ?? sampleAddress;
  return visitorAddress(JSON.parse(data) as Record<string, unknown>, config.field) ?? 'visitor@example.com';
}

const shownSender = (sender: { name: string; address: string }, fromName: string | null): string => {
  const name = fromName ?? sender.name;
  return name === '' ? sender.address : `${name} <${sender.address}>`;
};

const digestOf = ({ form, project }: FormAndProject, newest: Newest['newest']): DigestContent => ({
  forms: [{ id: form.id, name: form.name, count: newest.length }],
  projectName: project.name,
  accountId: project.accountId,
  firstAt: newest.at(-1)?.createdAt ?? newest[0].createdAt,
  lastAt: newest[0].createdAt,
  newest: newest.map(({ id, createdAt, data }) => ({
    ...{ id, formName: form.name, createdAt, data },
    labels: fieldLabels(form.fields),
  })),
});
