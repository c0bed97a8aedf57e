/** The part of the composition that writes mails about submissions, both for sending and for drafts. */
import { buffer } from 'node:stream/consumers';
import type { SubscriptionDeps } from '../adapters/destinations/email/composer.js';
import { composeConfirmation, createConfirmations } from '../adapters/destinations/email/confirmation.js';
import { composeDigest, createDigests, type DigestLinks } from '../adapters/destinations/email/digest.js';
import { createEmail, type EmailDeps, type EmailKind } from '../adapters/destinations/email/email.js';
import { frameHtml, ownHtml } from '../adapters/destinations/email/html.js';
import { composeLetter } from '../adapters/destinations/email/letter.js';
import {
  composeNotification,
  createNotifications,
  type NotificationContent,
} from '../adapters/destinations/email/notification.js';
import { parseSender } from '../adapters/mailer/smtp-url.js';
import type { MailComposers } from '../domain/mail/drafts.js';
import type { Subscriptions } from '../domain/mail/subscriptions.js';
import { createOptInLimits, createOptInMails } from '../domain/opt-in/mail.js';
import type { Links } from '../domain/planning/event.js';
import { mailTemplates } from '../domain/planning/mail-templates.js';
import { createBounces } from '../domain/replies/bounces.js';
import { composeReply, type MailLayout } from '../domain/replies/compose.js';
import { createReplies } from '../domain/replies/sender.js';
import { withoutAddresses } from '../kernel/error-text.js';
import type { Sealer } from '../kernel/secrets.js';
import { purposeOf } from '../model/destination.js';
import { addressKey } from '../model/suppression.js';
import type { Mailer } from '../ports/mailer.js';
import type { ServiceParts } from './parts.js';

interface MailOptions {
  readonly links: Links;
  readonly previewLinks: Links;
  readonly subscriptions: Subscriptions;
  /** For the links in confirmation mails. */
  readonly optInSealer: Sealer;
}

const layout: MailLayout = { letter: composeLetter, html: (frame, own) => frameHtml(frame, ownHtml(own)) };

export function composeMail(
  parts: ServiceParts,
  mailer: Mailer | null,
  options: MailOptions,
): { readonly email: EmailKind; readonly composers: MailComposers } {
  const { config, store, clock } = parts;
  const { links, previewLinks, subscriptions, optInSealer: sealer } = options;
  const subscribing: SubscriptionDeps = {
    unsubscribeUrl: (subscription) => config.baseUrl + subscriptions.linkOf(subscription),
    suppression: subscriptions.suppression,
  };
  const digestLinks: DigestLinks = {
    submission: links.submission,
    form: (id) => `${config.baseUrl}/dashboard/forms/${id}`,
    project: (id) => `${config.baseUrl}/dashboard/projects/${id}`,
  };
  const email = createEmail({
    mailer,
    composers: {
      notification: createNotifications({
        subject: (submissionId) => store.deliveries.subject(submissionId),
        ...notificationContent(parts, links),
        ...subscribing,
      }),
      reply: createReplies({
        ...{ store, clock, links, layout },
        ownAddress: config.mailFrom === null ? null : addressKey(parseSender(config.mailFrom).address),
      }),
      digest: createDigests({
        content: (id, most) => store.digests.content(id, most),
        links: digestLinks,
        ...subscribing,
      }),
      confirmation: createConfirmations({
        mailOf: createOptInMails({ store, sealer, baseUrl: config.baseUrl }),
        withheld: createOptInLimits({ store, clock }),
        now: clock.now,
      }),
    },
    now: () => performance.now(),
    observe: observerOf(parts),
  });
  // A placeholder: a draft has no subscription to end.
  const unsubscribeUrl = `${config.baseUrl}/unsubscribe?token=preview`;
  const content = notificationContent(parts, previewLinks);
  return {
    email,
    composers: draftComposers({ content, links: previewLinks, digestLinks, unsubscribeUrl }),
  };
}

const notificationContent = (
  { foundation }: ServiceParts,
  links: Links,
): Omit<NotificationContent, 'unsubscribeUrl'> => ({
  link: links.submission,
  fileLink: links.file,
  async readFile({ blobKey }) {
    const bytes = await foundation.blobs.open(blobKey);
    if (!bytes) throw new Error('The file is not in the store');
    return buffer(bytes);
  },
  templates: mailTemplates(links),
});

const draftComposers = (deps: {
  readonly content: Omit<NotificationContent, 'unsubscribeUrl'>;
  readonly links: Links;
  readonly digestLinks: DigestLinks;
  readonly unsubscribeUrl: string;
}): MailComposers => ({
  notification: ({ id, recipient: address }, about, config) =>
    composeNotification(
      { ...deps.content, unsubscribeUrl: () => deps.unsubscribeUrl },
      {
        ...{ id, about, config },
        subscription: { accountId: about.project.accountId, destinationId: '', address },
      },
    ),
  digest: ({ id: mailId, recipient }, content, config) =>
    composeDigest({
      ...{ mailId, recipient, content, config, links: deps.digestLinks },
      ...{ formId: content.forms[0].id, projectId: '', unsubscribeUrl: deps.unsubscribeUrl },
    }),
  reply: (input) => composeReply(input, layout, deps.links),
  confirmation: composeConfirmation,
});

function observerOf({ store, clock, log, metrics, tallies }: ServiceParts): EmailDeps['observe'] {
  const bounces = createBounces({ store, clock });
  return async ({ id, submissionId, url }, { destination, formId }, outcome) => {
    const isDelayed = outcome.kind === 'refused' && !outcome.permanent;
    metrics.mail(outcome.kind === 'sent' ? 'sent' : isDelayed ? 'delayed' : 'refused');
    if (outcome.kind === 'sent' && purposeOf(destination.id) === 'confirmation')
      await store.optIns.noteSent(submissionId, clock.now());
    if (outcome.kind === 'sent') return;
    if (purposeOf(destination.id) === 'notification')
      tallies.count(formId, isDelayed ? 'mail_delayed' : 'mail_refused');
    if (outcome.isNoMailbox) await bounces.record(formId, url, outcome.detail);
    log.warn({ mail: id, submission: submissionId, why: withoutAddresses(outcome.detail) }, 'mail not sent');
  };
}
