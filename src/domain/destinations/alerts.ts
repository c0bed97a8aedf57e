/**
 * Notifies the users of a project when a destination starts to fail, recovers, or is disabled because it failed for too long.
 * The last notified state is stored, so that each change is reported once. A mail that cannot be sent is retried.
 */

import type { Clock } from '../../kernel/clock.js';
import { humanTime } from '../../kernel/shown-text.js';
import { roleIn } from '../../model/account.js';
import { faultInWords } from '../../model/delivery.js';
import { type DestinationState, stateOf } from '../../model/destination.js';
import type { Letter, MailBodies } from '../../model/letter.js';
import type { TroubledDestination } from '../../ports/destinations.js';
import { type Mailer, type MailMessage, ordinaryMail } from '../../ports/mailer.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';

export const alertStepMs = 2_000;
const mostAtOnce = 200;
/** A mail server that is down is retried after this time. */
const mailRetryMs = 60_000;

export type AlertKind = 'failing' | 'recovered' | 'disabled';

export interface AlertDeps {
  readonly store: Store;
  /** null: no mail server is set. */
  readonly mailer: Mailer | null;
  readonly signals: Signals;
  readonly clock: Clock;
  /** A destination whose failures, from the first to the last, take so long is disabled. null: it is never disabled. */
  readonly disableAfterMs: number | null;
  /** The destination's page in the dashboard. */
  readonly linkTo: (destination: TroubledDestination) => string;
  /** The layout of all mails. */
  readonly compose: (letter: Letter) => MailBodies;
  readonly onMailFault: (detail: string) => void;
}

export class DestinationAlerts {
  /** Until when the mails about a destination wait for the mail server. */
  readonly #waiting = new Map<string, number>();
  /** By destination: users who already got the mail about the change that is being reported. */
  readonly #mailed = new Map<string, Set<string>>();

  constructor(private readonly deps: AlertDeps) {}

  async step(signal: AbortSignal): Promise<void> {
    // All of them, page by page: a destination that fails for days, or is disabled, stays in the list.
    for (let afterId: string | null = ''; afterId !== null; ) {
      const page: readonly TroubledDestination[] = await this.deps.store.destinations.listTroubled(
        afterId,
        mostAtOnce,
      );
      for (const destination of page) {
        if (signal.aborted) return;
        await this.#look(destination);
      }
      afterId = page.length < mostAtOnce ? null : (page.at(-1)?.id ?? null);
    }
  }

  async #look(listed: TroubledDestination): Promise<void> {
    const { store, clock } = this.deps;
    const now = clock.now();
    const destination = await this.#disabledIfDue(listed, now);
    const { id, notifiedState, health } = destination;
    const state = stateOf(destination, health, now);
    if (state === notifiedState) return;
    const alert = alertOf(destination, state);
    if (alert !== null && !(await this.#mail(destination, alert, now))) return;
    this.#mailed.delete(id);
    const isOurs = await store.destinations.markNotified(id, notifiedState, state);
    if (isOurs && alert !== null) this.#publish(destination, alert);
  }

  async #disabledIfDue(listed: TroubledDestination, now: number): Promise<TroubledDestination> {
    const { store, signals, disableAfterMs } = this.deps;
    const { id, isActive, health } = listed;
    const { failingSince, lastFailedAt } = health;
    if (!isActive || failingSince === null || lastFailedAt === null || disableAfterMs === null) return listed;
    // Not until now: time in which nothing was sent shows nothing.
    if (lastFailedAt - failingSince < disableAfterMs) return listed;
    if (!(await store.destinations.disable(id, now))) return listed;
    signals.publish({ kind: 'intake-changed' });
    return { ...listed, isActive: false, health: { ...health, disabledAt: now } };
  }

  /** Returns false when some users have not got the mail yet. */
  async #mail(destination: TroubledDestination, alert: AlertKind, now: number): Promise<boolean> {
    const { store, mailer, onMailFault } = this.deps;
    if (!mailer) return true;
    const { id, accountId, projectId } = destination;
    if ((this.#waiting.get(id) ?? 0) > now) return false;
    const done = this.#mailed.get(id) ?? new Set();
    this.#mailed.set(id, done);
    for (const { id: userId, email, ...access } of await store.users.list(accountId)) {
      if (done.has(userId) || roleIn(access, projectId) === null) continue;
      const outcome = await mailer.send(this.#messageTo(email, userId, destination, alert));
      if (outcome.kind === 'refused') onMailFault(outcome.detail);
      if (outcome.kind === 'refused' && !outcome.permanent) {
        this.#waiting.set(id, now + mailRetryMs);
        return false;
      }
      done.add(userId);
    }
    this.#waiting.delete(id);
    return true;
  }

  #messageTo(email: string, userId: string, destination: TroubledDestination, alert: AlertKind): MailMessage {
    const { subject, lines } = wordsOf(destination, alert);
    return {
      ...ordinaryMail,
      id: `${destination.id}.${alert}.${destination.health.failingSince ?? 0}.${userId}`,
      to: email,
      shownTo: [email],
      shownCc: [],
      replyTo: null,
      subject,
      ...this.deps.compose({
        language: 'en',
        preview: lines[0] ?? '',
        overline: destination.projectName,
        heading: subject,
        lead: '',
        paragraphs: lines,
        button: { label: 'Open the destination', link: this.deps.linkTo(destination) },
        footer: [
          `You received this e-mail because you are a user of this project in Inlet. It was sent to ${email}.`,
        ],
      }),
    };
  }

  #publish({ id, accountId, projectId, formId }: TroubledDestination, change: AlertKind): void {
    const place = { accountId, projectId, formId, destinationId: id };
    this.deps.signals.publish({ kind: 'destination-changed', ...place, change });
  }
}

/** Returns null when there is nothing to report, for example when a user disabled the destination. */
function alertOf({ notifiedState, health }: TroubledDestination, state: DestinationState): AlertKind | null {
  if (state === 'failing') return 'failing';
  if (state === 'ok') return notifiedState === 'failing' ? 'recovered' : null;
  return health.disabledAt === null ? null : 'disabled';
}

function wordsOf(
  { name, formName, projectName, health }: TroubledDestination,
  alert: AlertKind,
): { subject: string; lines: readonly string[] } {
  const where = formName === null ? `the project “${projectName}”` : `the form “${formName}”`;
  const error = health.lastError === null ? [] : [`Last error: ${withoutClass(health.lastError)}`];
  const since = health.failingSince === null ? '' : ` since ${humanTime(health.failingSince)}`;
  if (alert === 'recovered') {
    return {
      subject: `Works again: ${name}`,
      lines: [`Submissions to ${where} reach the destination “${name}” again.`],
    };
  }
  if (alert === 'disabled') {
    return {
      subject: `Disabled: ${name}`,
      lines: [
        `The destination “${name}” of ${where} was disabled, because it failed for too long or is gone.`,
        ...error,
        'New submissions are stored, but no longer sent there.',
        'When the problem is fixed, enable the destination in the dashboard. You can then send what it missed.',
      ],
    };
  }
  return {
    subject: `Failing: ${name}`,
    lines: [
      `Submissions to ${where} have not reached the destination “${name}”${since}.`,
      ...error,
      'All submissions are stored. Each delivery is retried on the schedule of the destination.',
    ],
  };
}

/** Drops the error class, which is for programs: `connect_refused: 192.0.2.1:443 refused the connection`. */
const withoutClass = (error: string): string => faultInWords(error).replace(/^[a-z]+(?:_[a-z0-9]+)*: /, '');
