/** The part of the composition that sends: every kind of destination, and the dispatcher that drives them. */

import { createDiscord } from '../adapters/destinations/discord.js';
import type { EmailKind } from '../adapters/destinations/email/email.js';
import { composeLetter } from '../adapters/destinations/email/letter.js';
import { createGoogleSheets } from '../adapters/destinations/google-sheets/google-sheets.js';
import { createHttpCalls } from '../adapters/destinations/http-call.js';
import { createSlack } from '../adapters/destinations/slack.js';
import { createTeams } from '../adapters/destinations/teams.js';
import { createTelegram } from '../adapters/destinations/telegram.js';
import { createWebhook } from '../adapters/destinations/webhook.js';
import { createOutbound } from '../adapters/outbound/on-demand.js';
import { downloadPath } from '../contract/file.js';
import { DestinationAlerts } from '../domain/destinations/alerts.js';
import { type FileTokens, mailToken } from '../domain/files/tokens.js';
import { createSubscriptions } from '../domain/mail/subscriptions.js';
import type { Links } from '../domain/planning/event.js';
import { createAttempts, type DelaysByKind } from '../domain/sending/attempt.js';
import { type CurrentDestinations, createCurrentDestinations } from '../domain/sending/current.js';
import { Digests } from '../domain/sending/digests.js';
import { Dispatcher, type DispatcherObserver } from '../domain/sending/dispatcher.js';
import { HealthLog } from '../domain/sending/health.js';
import { countAttempt } from '../domain/tallies/attempts.js';
import { judgeResolvedAddress, judgeWebhookUrl } from '../domain/webhooks/address-policy.js';
import { systemTimers } from '../kernel/clock.js';
import { withoutAddresses } from '../kernel/error-text.js';
import { newId } from '../kernel/ids.js';
import { createSealer, deriveKey, type Sealer } from '../kernel/secrets.js';
import { suppressedReason } from '../model/autoresponder.js';
import { purposeOf } from '../model/destination.js';
import type { DestinationKinds } from '../ports/destination-kind.js';
import type { Mailer } from '../ports/mailer.js';
import type { Outbound } from '../ports/outbound.js';
import { composeMail } from './mail.js';
import { createMailer } from './mailer.js';
import type { Sending, ServiceParts } from './parts.js';

/** Sends in flight get this long when the service stops. */
const sendGraceMs = 4_000;
/** Added to the time that an attempt may take: recording its result may have to wait for the disk. */
const leaseSlackMs = 45_000;
/** The longest that a send of any kind may take: a mail, or several requests. */
const longestSendMs = 60_000;
const mailsAtOnce = 2;
const mailTimeoutMs = 30_000;
const minuteMs = 60_000;
/** A mail server that is down overnight must lose nothing: the last attempt comes after about two days. */
const mailDelaysMs = [1, 5, 30, 120, 360, 720, 1440].map((minutes) => minutes * minuteMs);

export interface SendingOptions {
  readonly owner: string;
  readonly tokens: FileTokens;
  readonly optInSealer: Sealer;
}

export function composeSending(parts: ServiceParts, options: SendingOptions): Sending {
  const { log, store, signals, clock, metrics, closer, addressPolicy: policy } = parts;
  const outbound = createOutbound({
    judgeUrl: (url) => judgeWebhookUrl(policy, url),
    judgeAddress: (destination, address) => judgeResolvedAddress(policy, destination, address),
    guardedNames: parts.ownEndpoints,
    onBlocked: (why) => log.warn({ why }, 'webhook blocked'),
    userAgent: `Inlet/${parts.version}`,
  });
  closer.add('outbound', () => outbound.close());
  const links = linksOf(parts, (id) => mailToken(options.tokens, id, parts.clock.now()));
  // Who may see a preview must not get a link from it that anybody can download with, for which the audit log has an entry of its own.
  const previewLinks = linksOf(parts, () => null);
  const mailer = createMailer(parts.config, { timeoutMs: mailTimeoutMs, poolSize: mailsAtOnce });
  const subscriptions = createSubscriptions({
    suppressions: store.suppressions,
    sealer: createSealer(deriveKey(parts.foundation.secret, 'unsubscribe')),
    clock,
  });
  const { email, composers } = composeMail(parts, mailer, {
    ...{ links, previewLinks, subscriptions, optInSealer: options.optInSealer },
  });
  const kinds = composeKinds(parts, outbound, email);
  const current = createCurrentDestinations({ store, clock, signals });
  const health = new HealthLog({ destinations: store.destinations, signals });
  // Closed after everything that sends has stopped.
  closer.add('health', () => health.write());
  return {
    planning: { kinds, links, sendsMail: mailer !== null },
    previewLinks,
    current,
    health,
    alerts: composeAlerts(parts, mailer),
    mailer,
    outbound,
    composers,
    subscriptions,
    digests: new Digests({ store, current, signals, clock }),
    cutOffMail: () => email.cutOff(),
    async start() {
      if (!mailer) log.info('no mail server is set (SMTP_URL, MAIL_FROM): Inlet sends no e-mail');
      const cutOff = async (): Promise<void> => {
        await Promise.all([outbound.close(), email.cutOff()]);
      };
      const dispatcher = composeDispatcher(parts, options, { kinds, current, health, cutOff });
      metrics.watch('inlet_deliveries_sending', 'Deliveries that are being sent', () => dispatcher.sending);
      const unsubscribe = signals.subscribe('deliveries-ready', ({ lanes }) => dispatcher.wake(lanes));
      dispatcher.start();
      // Sends that are cut off are retried after the next start.
      closer.add('senders', () => {
        unsubscribe();
        return dispatcher.stop(sendGraceMs);
      });
    },
  };
}

const linksOf = ({ config }: ServiceParts, tokenOf: (fileId: string) => string | null): Links => ({
  submission: (id) => `${config.baseUrl}/dashboard/submissions/${id}`,
  file: (id) => config.baseUrl + downloadPath(id, tokenOf(id)),
});

function composeKinds(
  { config, clock, instanceMark, version }: ServiceParts,
  outbound: Outbound,
  email: EmailKind,
): DestinationKinds {
  const calls = createHttpCalls({
    outbound,
    clock,
    timeoutMs: config.webhookTimeoutMs,
    instanceMark,
    userAgent: `Inlet/${version}`,
  });
  return {
    webhook: createWebhook({ calls, clock }),
    email,
    slack: createSlack({ calls }),
    discord: createDiscord({ calls }),
    teams: createTeams({ calls }),
    telegram: createTelegram({ calls, apiUrl: config.telegramApiUrl }),
    google_sheets: createGoogleSheets({
      outbound,
      clock,
      timeoutMs: config.webhookTimeoutMs,
      apiUrl: config.googleApiUrl,
    }),
  };
}

function composeDispatcher(
  parts: ServiceParts,
  { owner }: SendingOptions,
  deps: {
    kinds: DestinationKinds;
    current: CurrentDestinations;
    health: HealthLog;
    cutOff: () => Promise<void>;
  },
): Dispatcher {
  const { config, store, clock } = parts;
  const { kinds, current, health, cutOff } = deps;
  const delays = delaysByKind(config.webhookRetryDelaysMs);
  return new Dispatcher({
    queue: store.queue,
    attempt: createAttempts({ current, kinds, clock, delays }),
    delaysOf: async (delivery) =>
      (await current.get(delivery)).destination?.retryDelaysMs ?? delays[delivery.kind],
    cutOff,
    clock,
    timers: systemTimers,
    random: Math.random,
    newToken: () => newId(clock.now()),
    owner,
    leaseMs: Math.max(config.webhookTimeoutMs, longestSendMs) + leaseSlackMs,
    observer: observe(parts, health),
  });
}

const delaysByKind = (usual: readonly number[]): DelaysByKind => ({
  webhook: usual,
  email: mailDelaysMs,
  slack: usual,
  discord: usual,
  teams: usual,
  telegram: usual,
  google_sheets: usual,
});

const observe = (
  { log, signals, metrics, tallies }: ServiceParts,
  health: HealthLog,
): DispatcherObserver => ({
  attempted(delivery, attempted, settled) {
    const { end, attempt } = attempted;
    health.attempted(delivery, attempted);
    if (delivery.kind !== 'email') {
      metrics.delivery(end, attempt.durationMs);
      countAttempt(tallies, delivery.formId, attempt.durationMs, settled.state);
    }
    if (end === 'succeeded') return;
    const reason = purposeOf(delivery.destinationId) === 'reply' ? suppressedReason(attempt.error) : null;
    if (reason !== null) tallies.count(delivery.formId, `reply_${reason}`);
    const { id, submissionId, kind, destinationId } = delivery;
    const { number, status, error } = attempt;
    log.debug(
      { delivery: id, submission: submissionId, kind, destination: destinationId, number, status, error },
      'delivery attempt failed',
    );
  },
  recorded(submissionIds) {
    for (const submissionId of submissionIds) signals.publish({ kind: 'delivery-changed', submissionId });
  },
  lost: (ids) => log.warn({ deliveries: ids }, 'results came after their lease had ended, and do not count'),
  failed: (error) => log.error({ err: error }, 'deliveries cannot be worked on; trying again'),
});

const composeAlerts = (
  { config, log, store, signals, clock }: ServiceParts,
  mailer: Mailer | null,
): DestinationAlerts =>
  new DestinationAlerts({
    store,
    mailer,
    signals,
    clock,
    disableAfterMs: config.destinationDisableAfterMs === 0 ? null : config.destinationDisableAfterMs,
    linkTo: ({ formId, projectId }) =>
      `${config.baseUrl}/dashboard/${formId === null ? `projects/${projectId}` : `forms/${formId}`}/destinations`,
    compose: composeLetter,
    onMailFault: (why) => log.warn({ why: withoutAddresses(why) }, 'mail about a destination not sent'),
  });
