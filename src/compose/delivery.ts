/** The part of the composition that sends: webhooks through the guarded client, mails through the mail server. */
import { createSmtpMailer } from '../adapters/mailer/smtp.js';
import { createUndiciOutbound } from '../adapters/outbound/undici.js';
import { downloadPath } from '../contract/file.js';
import { type FileTokens, mailToken } from '../domain/files/tokens.js';
import { createMailDispatcher, type MailDispatcher } from '../domain/mail/dispatcher.js';
import { createMailComposer } from '../domain/mail/notification.js';
import { countAttempt } from '../domain/tallies/attempts.js';
import { judgeResolvedAddress, judgeWebhookUrl } from '../domain/webhooks/address-policy.js';
import { createAttempts, createSender, type Sender } from '../domain/webhooks/attempt.js';
import { createDispatcher } from '../domain/webhooks/dispatcher.js';
import { createCurrentSettings } from '../domain/webhooks/settings.js';
import { systemTimers } from '../kernel/clock.js';
import { newId } from '../kernel/ids.js';
import { startSenders } from '../worker/deliver.js';
import type { ServiceParts } from './parts.js';

/** Sends under way get this long when the service stops. */
const sendGraceMs = 4_000;
/** Beside the time that an attempt may take: recording its result may have to wait for the disk. */
const leaseSlackMs = 45_000;
const mailsAtOnce = 2;
const mailTimeoutMs = 30_000;
/** A mail that waits for longer was planned by a clock that has been set back. */
const latestMailMs = 27 * 60 * 60_000;

export interface Sending {
  readonly sender: Sender;
  /** Works off both queues from now on. */
  start(): Promise<void>;
}

export function composeSending(
  parts: ServiceParts,
  { owner, tokens }: { readonly owner: string; readonly tokens: FileTokens },
): Sending {
  const { config, log, store, signals, clock, metrics, closer, tallies, version } = parts;
  const policy = parts.addressPolicy;
  const outbound = createUndiciOutbound({
    judgeUrl: (url) => judgeWebhookUrl(policy, url),
    judgeAddress: (destination, address) => judgeResolvedAddress(policy, destination, address),
    guardedNames: parts.ownEndpoints,
    onBlocked: (why) => log.warn({ why }, 'webhook blocked'),
    userAgent: `Inlet/${version}`,
  });
  closer.add('outbound', () => outbound.close());
  const sender = createSender({
    outbound,
    clock,
    timeoutMs: config.webhookTimeoutMs,
    instanceMark: parts.instanceMark,
  });

  const createWebhooks = () =>
    createDispatcher({
      queue: store.queue,
      attempt: createAttempts({
        settings: createCurrentSettings({ store, clock, signals }),
        sender,
        clock,
      }),
      cutOff: () => outbound.close(),
      clock,
      timers: systemTimers,
      random: Math.random,
      newToken: () => newId(clock.now()),
      owner,
      delays: config.webhookRetryDelaysMs,
      leaseMs: config.webhookTimeoutMs + leaseSlackMs,
      observer: {
        attempted(delivery, { end, attempt }, settled) {
          metrics.delivery(end, attempt.durationMs);
          countAttempt(tallies, delivery.formId, attempt.durationMs, settled.state);
          if (end === 'succeeded') return;
          const { id, submissionId } = delivery;
          const { number, status, error } = attempt;
          log.debug(
            { delivery: id, submission: submissionId, number, status, error },
            'webhook attempt failed',
          );
        },
        recorded(submissionIds) {
          for (const submissionId of submissionIds)
            signals.publish({ kind: 'delivery-changed', submissionId });
        },
        lost: (ids) =>
          log.warn({ deliveries: ids }, 'results came after their lease had ended, and do not count'),
        failed: (error) => log.error({ err: error }, 'webhooks cannot be worked on; trying again'),
      },
    });

  const createMails = (): MailDispatcher | null => {
    if (config.smtpUrl === null || config.mailFrom === null) {
      log.info('no mail server is set (SMTP_URL, MAIL_FROM): notify_emails get no mail');
      return null;
    }
    const mailer = createSmtpMailer({
      url: config.smtpUrl,
      from: config.mailFrom,
      timeoutMs: mailTimeoutMs,
      poolSize: mailsAtOnce,
    });
    return createMailDispatcher({
      store,
      mailer,
      compose: createMailComposer({
        store,
        fileLink: (id) => config.baseUrl + downloadPath(id, mailToken(tokens, id, clock.now())),
      }),
      clock,
      timers: systemTimers,
      random: Math.random,
      newToken: () => newId(clock.now()),
      owner,
      atOnce: mailsAtOnce,
      leaseMs: 2 * mailTimeoutMs + leaseSlackMs,
      observer: {
        ended(mail, outcome) {
          const isFinal = outcome.kind === 'refused' && outcome.permanent;
          metrics.mail(isFinal ? 'refused' : outcome.kind === 'refused' ? 'delayed' : outcome.kind);
          if (outcome.kind !== 'refused') return;
          tallies.count(mail.formId, isFinal ? 'mail_refused' : 'mail_delayed');
          log.warn({ mail: mail.id, submission: mail.submissionId, why: outcome.detail }, 'mail not sent');
        },
        failed: (error) => log.error({ err: error }, 'mails cannot be worked on; trying again'),
      },
    });
  };

  return {
    sender,
    async start() {
      const now = clock.now();
      await store.mails.pullBack(now + latestMailMs, now);
      const dispatcher = createWebhooks();
      metrics.watch('inlet_deliveries_sending', 'Webhooks that are being sent', () => dispatcher.sending);
      const senders = startSenders({ dispatcher, mails: createMails(), signals });
      closer.add('senders', () => senders.stop(sendGraceMs));
    },
  };
}
