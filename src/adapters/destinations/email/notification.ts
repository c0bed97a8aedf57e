/** The mail that notifies owners of a submission, as configured in their destinations. */
import type { EmailConfig } from '../../../contract/destination.js';
import { distinctAddresses } from '../../../kernel/email-address.js';
import { addressesIn, type EmailSettings, emailSettings, routedTo } from '../../../model/email-settings.js';
import { fieldLabels } from '../../../model/field-labels.js';
import { type StoredFile, shownFile } from '../../../model/file.js';
import type { Submission } from '../../../model/submission.js';
import type { Subscription } from '../../../model/subscription.js';
import type { DeliverySubject } from '../../../ports/deliveries.js';
import type { SubmissionEvent } from '../../../ports/destination-kind.js';
import type { MailMessage } from '../../../ports/mailer.js';
import { type Composer, cancelled, type SubscriptionDeps, stoppedBy } from './composer.js';
import { composeSubmissionMail, type MailedFile } from './message.js';
import { type RenderTemplate, templated } from './templated.js';

/** What a notification is composed with. */
export interface NotificationContent extends Pick<SubscriptionDeps, 'unsubscribeUrl'> {
  readonly link: (submissionId: string) => string;
  readonly fileLink: (fileId: string) => string;
  readonly readFile: (file: StoredFile) => Promise<Uint8Array>;
  /** Returns the renderer for all templates of one mail. */
  readonly templates: (about: DeliverySubject) => RenderTemplate;
}

export interface NotificationDeps extends NotificationContent, SubscriptionDeps {
  /** Resolves with what a mail is about, or with null when that was deleted. */
  readonly subject: (submissionId: string) => Promise<DeliverySubject | null>;
}

export const createNotifications =
  (deps: NotificationDeps): Composer =>
  async (message, { id: destinationId, config, builtIn }) => {
    const { id, url: address, body } = message;
    if (!builtIn && !addressesIn(config).includes(address)) return cancelled('the address was removed');
    const about = body === '' ? await deps.subject(message.submissionId) : sampleOf(body);
    if (!about) return cancelled('the submission was deleted');
    const { accountId } = about.project;
    const subscription = { accountId, destinationId, address };
    const stopped = await deps.suppression(subscription);
    if (stopped) return stoppedBy(stopped);
    const mail = composeNotification(deps, { id, about, subscription, config: builtIn ? null : config });
    return { mail, formId: about.submission.formId };
  };

export const recipientsOf = (
  config: EmailConfig,
  fields: () => Readonly<Record<string, unknown>>,
): readonly string[] =>
  distinctAddresses([...config.to, ...routedTo(config, fields), ...config.cc, ...config.bcc]);

const shownRecipients = (config: EmailConfig, { submission }: DeliverySubject): readonly string[] =>
  distinctAddresses([
    ...config.to,
    ...routedTo(config, () => JSON.parse(submission.data) as Record<string, unknown>),
  ]);

/** A test carries its submission in the body, because it is stored nowhere else. */
export const bodyOf = ({ submission, form, project }: SubmissionEvent): string =>
  JSON.stringify({ submission, form: formOf(form), project: projectOf(project) } satisfies Sample);

// Only what is shown: the objects also contain everything else, including secrets.
const formOf = ({ id, publicId, slug, name, fields }: DeliverySubject['form']) => ({
  ...{ id, publicId, slug, name, fields },
});
const projectOf = ({ id, accountId, slug, name }: DeliverySubject['project']) => ({
  id,
  accountId,
  slug,
  name,
});

type Sample = Omit<DeliverySubject, 'submission'> & { readonly submission: Submission };

function sampleOf(body: string): DeliverySubject {
  const { submission, form, project } = JSON.parse(body) as Sample;
  return { submission: { ...submission, files: [], deliveryState: null }, form, project };
}

export function composeNotification(
  deps: NotificationContent,
  mail: {
    readonly id: string;
    readonly about: DeliverySubject;
    readonly subscription: Subscription;
    /** Null for a built-in destination, which does not reveal the other recipients. */
    readonly config: EmailConfig | null;
  },
): MailMessage {
  const { id, about, subscription, config } = mail;
  const settings = emailSettings(config ?? { to: [], cc: [], bcc: [] });
  const { submission, form, project } = about;
  const attached = attachedOf(submission.files, settings);
  const files = submission.files.map((file): MailedFile => {
    const isAttached = attached.includes(file);
    return { ...shownFile(file), link: isAttached ? null : deps.fileLink(file.id), isAttached };
  });
  const usual = composeSubmissionMail({
    mailId: id,
    recipient: subscription.address,
    projectName: project.name,
    formName: form.name,
    submissionId: submission.id,
    createdAt: submission.createdAt,
    data: submission.data,
    labels: fieldLabels(form.fields),
    files,
    metadata: submission.metadata,
    link: deps.link(submission.id),
    language: settings.language,
    replyTo: settings.reply_to,
    fromName: settings.from_name,
    unsubscribeUrl: deps.unsubscribeUrl(subscription),
  });
  const unattached = settings.files === 'attached' ? files.filter(({ isAttached }) => !isAttached) : [];
  return {
    ...usual,
    ...templated(settings, deps.templates(about), unattached),
    ...(config && { shownTo: shownRecipients(config, about), shownCc: config.cc }),
    attachments: attached.map((file) => ({
      filename: file.filename,
      type: file.mimeType,
      read: () => deps.readFile(file),
    })),
  };
}

/** In order, every file that still fits. */
function attachedOf(
  files: readonly StoredFile[],
  { files: how, max_attached_bytes: maxBytes }: EmailSettings,
): readonly StoredFile[] {
  if (how === 'links') return [];
  let room = maxBytes;
  return files.filter(({ sizeBytes, deletedAt }) => {
    if (sizeBytes > room || deletedAt !== null) return false;
    room -= sizeBytes;
    return true;
  });
}
