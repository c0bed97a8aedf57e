/** What every process of the service has, whatever its role: counters, signals, and what makes it known to the other processes. */
import { hostname } from 'node:os';
import { memoryCounters } from '../adapters/counters/memory.js';
import { memorySignals } from '../adapters/signals/memory.js';
import type { SignalTransport } from '../adapters/signals/transport.js';
import type { Config } from '../config/options.js';
import type { ReplayService } from '../domain/deliveries/replay.js';
import type { DestinationAlerts } from '../domain/destinations/alerts.js';
import type { FileTokens } from '../domain/files/tokens.js';
import type { FormService } from '../domain/forms/service.js';
import type { MailComposers } from '../domain/mail/drafts.js';
import type { Subscriptions } from '../domain/mail/subscriptions.js';
import type { Links } from '../domain/planning/event.js';
import type { Planning } from '../domain/planning/plan.js';
import { createEpochGuard, type EpochGuard } from '../domain/processes/epoch.js';
import { createLoneMembership, createMembership, type Membership } from '../domain/processes/membership.js';
import type { ProjectService } from '../domain/projects/service.js';
import type { CurrentDestinations } from '../domain/sending/current.js';
import type { Digests } from '../domain/sending/digests.js';
import type { HealthLog } from '../domain/sending/health.js';
import type { Tallies } from '../domain/tallies/tallies.js';
import type { AddressPolicy } from '../domain/webhooks/address-policy.js';
import type { OwnEndpoints } from '../domain/webhooks/own-endpoints.js';
import type { Metrics } from '../http/ops/metrics.js';
import { createReadiness, type Readiness } from '../http/ops/readiness.js';
import { type Clock, systemTimers } from '../kernel/clock.js';
import { newId } from '../kernel/ids.js';
import type { Closer } from '../kernel/lifecycle.js';
import type { Logger } from '../kernel/log.js';
import type { Sealer } from '../kernel/secrets.js';
import type { Role } from '../model/process.js';
import type { Counters } from '../ports/counters.js';
import type { Mailer } from '../ports/mailer.js';
import type { Outbound } from '../ports/outbound.js';
import type { Signals } from '../ports/signals.js';
import type { Store } from '../ports/store.js';
import type { Foundation } from './foundation.js';

export interface ServiceParts {
  readonly config: Config;
  readonly log: Logger;
  readonly foundation: Foundation;
  readonly store: Store;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly signals: Signals;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly closer: Closer;
  readonly tallies: Tallies;
  readonly addressPolicy: AddressPolicy;
  readonly ownEndpoints: OwnEndpoints;
  /** Added to every delivery of this instance. */
  readonly instanceMark: string;
  readonly version: string;
}

/** Shared by all processes through Redis, if there is one; each process counts for itself while it is unavailable. */
export async function openCounters(
  { redisUrl }: Config,
  { clock }: Foundation,
  log: Logger,
): Promise<Counters> {
  const own = memoryCounters({ now: clock.now });
  if (redisUrl === null) return own;
  const { redisCounters } = await import('../adapters/counters/redis.js');
  return redisCounters({
    url: redisUrl,
    fallback: own,
    onDown: (reason) => log.warn({ reason }, 'Redis is unavailable: rate limits count in this process only'),
    onUp: () => log.info('Redis is there: rate limits count over all processes'),
  });
}

/** Between all processes through Redis, else through PostgreSQL. The embedded engine has only one process. */
export async function openSignals(config: Config, log: Logger): Promise<Signals> {
  const local = memorySignals({
    onListenerError: (error) => log.error({ err: error }, 'signal listener failed'),
  });
  const transport = await openTransport(config, {
    onDown: (reason) =>
      log.warn({ reason }, 'wake-ups from other processes do not arrive; this one looks by itself'),
    onUp: () => log.info('wake-ups from other processes arrive'),
  });
  if (!transport) return local;
  const { sharedSignals } = await import('../adapters/signals/shared.js');
  return sharedSignals({ local, transport });
}

async function openTransport(
  { redisUrl, databaseUrl }: Config,
  observer: { onDown(reason: string): void; onUp(): void },
): Promise<SignalTransport | null> {
  if (databaseUrl === null) return null;
  if (redisUrl !== null) {
    const { redisTransport } = await import('../adapters/signals/redis.js');
    return redisTransport({ url: redisUrl, ...observer });
  }
  const { postgresTransport } = await import('../adapters/signals/postgres.js');
  return postgresTransport({ url: databaseUrl, ...observer });
}

/** What can be monitored about this process from outside. */
export function composeReadiness(
  config: Config,
  { store, clock, blobs, reserve }: Foundation,
  metrics: Metrics,
  log: Logger,
): Readiness {
  const readiness = createReadiness({
    parts: [
      { name: 'database', isNeeded: true, check: () => store.check() },
      // An unavailable bucket is unavailable for all processes; submissions without files still go through.
      { name: 'storage', isNeeded: config.storageUrl === null, check: () => blobs.check() },
    ],
    async queueAgeMs() {
      const dueAt = await store.deliveries.oldestDueAt();
      return dueAt === null ? 0 : Math.max(0, clock.now() - dueAt);
    },
    storage: () => blobs.describe(),
    lastBackupAt: () => store.lastBackupAt(),
    log,
  });
  metrics.standing(readiness.standing);
  if (reserve) {
    const help = 'Disk space held back so that a full disk can be cleaned up; 0 while it is in use';
    metrics.watch('inlet_storage_reserve_bytes', help, () => reserve.bytes);
  }
  return readiness;
}

export interface Sending {
  readonly planning: Planning;
  /** Those to files contain no token. */
  readonly previewLinks: Links;
  readonly current: CurrentDestinations;
  readonly health: HealthLog;
  readonly alerts: DestinationAlerts;
  /** null when no mail server is set. */
  readonly mailer: Mailer | null;
  readonly outbound: Outbound;
  readonly composers: MailComposers;
  readonly subscriptions: Subscriptions;
  readonly digests: Digests;
  /** Sends what is in the queue from now on. */
  start(): Promise<void>;
  /** Ends mails that are being sent: a mail server that hangs would take up to a minute. */
  cutOffMail(): Promise<void>;
}

/** What both halves of the service use. */
export interface Services {
  readonly projects: ProjectService;
  readonly forms: FormService;
  readonly replays: ReplayService;
  readonly sending: Sending;
  readonly tokens: FileTokens;
  /** For the links in confirmation mails. */
  readonly optInSealer: Sealer;
  /** Keyed, so that it is not possible to guess whom an erasure was about. */
  readonly personHash: (text: string) => string;
}

export interface ThisProcess {
  readonly id: string;
  readonly epoch: EpochGuard;
  readonly membership: Membership;
}

/** Does not start anything: other processes must not see this one before it can do its work. */
export function composeProcess(
  { config, log, foundation, store, clock, signals, version }: ServiceParts,
  role: Role,
): ThisProcess {
  const startedAt = clock.now();
  const id = newId(startedAt);
  const self = { id, role, host: hostname(), pid: process.pid, version, startedAt };
  const epoch = createEpochGuard({
    store,
    epoch: config.deliveryEpoch,
    clock,
    observer: {
      held: ({ deliveries, mails, replays }) =>
        log.warn(
          { epoch: config.deliveryEpoch, deliveries, mails, replays },
          'DELIVERY_EPOCH was raised: everything that was pending is held, and not sent',
        ),
      behind: (stored) =>
        log.error(
          { epoch: config.deliveryEpoch, stored },
          'the database has a higher DELIVERY_EPOCH: this process sends nothing; set the same everywhere and restart',
        ),
    },
  });
  if (!foundation.isShared) {
    const onFreed = (deliveries: number): void => {
      if (deliveries > 0) log.info({ deliveries }, 'webhooks that were cut off are sent again');
    };
    return { id, epoch, membership: createLoneMembership({ store, self, clock, onFreed }) };
  }
  const membership = createMembership({
    store,
    self,
    clock,
    timers: systemTimers,
    now: () => performance.now(),
    observer: {
      freed({ process: silent, deliveries }) {
        const { id: process, host, pid } = silent;
        log.warn(
          { process, host, pid, deliveries },
          'a process fell silent; what it was sending is sent again',
        );
        if (deliveries > 0) signals.publish({ kind: 'deliveries-ready', lanes: [] });
      },
      returned: (silentForMs) =>
        log.warn(
          { silentForMs: Math.round(silentForMs) },
          'the other processes took this one for dead; it is back',
        ),
      led: (isLeader) => log.debug({ isLeader }, 'upkeep'),
      failed: (error) =>
        log.error({ err: error }, 'the other processes cannot be notified that this one is alive'),
      recovered: () => log.info('the other processes are notified again that this one is alive'),
    },
    onBeat: epoch.check,
  });
  return { id, epoch, membership };
}
