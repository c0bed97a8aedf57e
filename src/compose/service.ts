/** The composition root of the service: foundation → services → http and workers. It knows every part and decides nothing. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DataDir } from '../adapters/data-dir/data-dir.js';
import type { Config } from '../config/options.js';
import type { FirstAccount } from '../domain/accounts/first-account.js';
import { createReplayService } from '../domain/deliveries/replay.js';
import { createBacklog } from '../domain/fields/backlog.js';
import { ForeignFiles } from '../domain/files/binding.js';
import { createFileTokens } from '../domain/files/tokens.js';
import { createFormService } from '../domain/forms/service.js';
import { Erasing } from '../domain/persons/erasing.js';
import { createProjectService } from '../domain/projects/service.js';
import { createTallies } from '../domain/tallies/tallies.js';
import { createUpkeep } from '../domain/upkeep/service.js';
import { privateAccess, publicAccess } from '../http/ops/access.js';
import { createMetrics } from '../http/ops/metrics.js';
import { createOpsServer } from '../http/ops/server.js';
import { isLoopbackUrl } from '../kernel/hosts.js';
import { instanceMark } from '../kernel/instance-mark.js';
import { createCloser } from '../kernel/lifecycle.js';
import type { Logger } from '../kernel/log.js';
import { createSealer, deriveKey, hmacBase64Url } from '../kernel/secrets.js';
import { answersRequests, type Role, works } from '../model/process.js';
import { BlobsUnavailable } from '../ports/blobs.js';
import type { PeerMetrics } from '../ports/peer-metrics.js';
import { superviseTasks } from '../worker/supervisor.js';
import {
  alertTask,
  digestTask,
  erasureTask,
  fieldBacklogTask,
  healthTask,
  onlyWhen,
  replayTask,
  reserveTask,
  tallyTask,
  upkeepTasks,
} from '../worker/upkeep.js';
import { composeApi } from './api.js';
import { composeSending } from './delivery.js';
import type { Foundation } from './foundation.js';
import { addressPolicyOf } from './import.js';
import { watchLoopHealth } from './loop-health.js';
import { composeOwnEndpoints } from './own-endpoints.js';
import { composeProcess, composeReadiness, openCounters, openSignals, type ServiceParts } from './parts.js';

export interface Service {
  readonly port: number;
  readonly firstAccount: FirstAccount | null;
  /** For the link that creates the first user; null when there is a user. */
  readonly setupToken: string | null;
  readonly dataDir: DataDir;
  /**
   * Drains, lets requests in flight finish, then closes everything, last opened first. Skip the drain when the process can
   * no longer serve.
   */
  stop(how?: { readonly drains: boolean }): Promise<void>;
}

/**
 * A proxy that does not check `/readyz` (nginx) reuses its open connections. Under load, each gets its last response within
 * milliseconds, so one that has been idle for this long is unlikely to be in use when it is closed.
 */
const longestIdleMs = 2_000;

/** An unavailable store does not prevent a start: then nothing is written to it before the check has succeeded. */
async function requireOwnFiles({ binding }: Foundation, log: Logger): Promise<void> {
  try {
    await binding.verify();
  } catch (error) {
    if (!(error instanceof BlobsUnavailable) || error instanceof ForeignFiles) throw error;
    log.warn(
      { err: error },
      'the files are unavailable: nothing is written to them before it is known that they belong to this database',
    );
  }
}

export interface ServiceOptions {
  readonly version: string;
  readonly role: Role;
  readonly onFatal: (error: Error) => void;
  /** Called as soon as the first account is stored: its key must be shown even if the start fails later. */
  readonly onFirstAccount: (account: FirstAccount) => void;
  /** The other processes on this machine that serve the same address; null when there are none. */
  readonly peerMetrics: PeerMetrics | null;
}

/** Takes ownership of the foundation: it is closed when the service stops or fails to start. */
export async function startService(
  config: Config,
  log: Logger,
  foundation: Foundation,
  options: Omit<ServiceOptions, 'onFatal'>,
): Promise<Service> {
  const { store, blobs, clock, dataDir, isShared } = foundation;
  const { role, version } = options;
  const closer = createCloser();
  closer.add('foundation', () => foundation.close());
  const onCloseError = (name: string, error: unknown): void =>
    log.error({ err: error, part: name }, 'close failed');
  try {
    await requireOwnFiles(foundation, log);
    const counters = await openCounters(config, foundation, log);
    closer.add('counters', () => counters.close());
    const signals = await openSignals(config, log);
    closer.add('signals', () => signals.close());
    const metrics = createMetrics(options.peerMetrics);
    metrics.info(options.version, role);
    foundation.watchWriter(metrics.writerTurn);
    const readiness = composeReadiness(config, foundation, metrics, log);
    const tallies = createTallies({ store: store.tallies, clock });
    // Closed after everything that counts has stopped.
    closer.add('tallies', () => tallies.write());

    const ownEndpoints = composeOwnEndpoints(config);
    const addressPolicy = addressPolicyOf(config, ownEndpoints);
    const parts: ServiceParts = {
      ...{ config, log, foundation, store, clock, counters, signals, metrics, closer, tallies },
      ...{ readiness, addressPolicy, ownEndpoints, version },
      instanceMark: instanceMark(foundation.secret),
    };
    const thisProcess = composeProcess(parts, role);
    const projects = createProjectService({
      store,
      clock,
      signals,
      addressPolicy,
      defaultRateLimitPerMinute: config.rateLimitPerMinute,
    });
    const forms = createFormService({ store, clock, signals, projects, addressPolicy });
    const tokens = createFileTokens(deriveKey(foundation.secret, 'file-token'));
    const optInSealer = createSealer(deriveKey(foundation.secret, 'opt-in'));
    const sending = composeSending(parts, { owner: thisProcess.id, tokens, optInSealer });
    const { current, planning } = sending;
    const replays = createReplayService({ store, forms, projects, current, planning, signals, clock });
    const personKey = deriveKey(foundation.secret, 'persons');
    const personHash = (text: string): string => hmacBase64Url(personKey, text);
    const services = { projects, forms, replays, tokens, sending, optInSealer, personHash };

    const api = answersRequests(role)
      ? await composeApi(parts, services, { ...options, processId: thisProcess.id })
      : null;
    const watching = { log, metrics, readiness };
    const http = api?.http ?? (await createOpsServer({ ...watching, access: publicAccess(config) }));

    // We have the lock, so anything half-written in the staging folder is from a process that has ended. What is shared with
    // other processes is swept by age, and an unavailable bucket must not prevent a start.
    if (!isShared && config.storageUrl === null) await blobs.sweepUnfinished(clock.now());
    await thisProcess.epoch.enter();
    await thisProcess.membership.start();
    // Closed after its leases are released.
    closer.add('process', () => thisProcess.membership.stop());
    let orphansLeft = 0;
    metrics.watch(
      'inlet_orphans',
      'Orphaned files that the last sweep did not delete because there were too many',
      () => orphansLeft,
    );
    const upkeep = createUpkeep({
      ...{ store, blobs, clock, attemptLifeMs: config.deliveryLogRetentionMs },
      auditRetentionDays: config.auditRetentionDays,
    });
    const isQuiet = api?.isQuiet ?? (() => true);
    const leading = onlyWhen(thisProcess.membership.isLeader, [
      ...upkeepTasks({
        ...{ upkeep, log, pace: { isQuiet, now: clock.now } },
        onSwept({ isRefused, orphans }) {
          orphansLeft = isRefused ? orphans : 0;
        },
      }),
      replayTask(replays),
      erasureTask(
        new Erasing({
          ...{ store, blobs, signals, clock, hash: personHash },
          onTracesLeft: (erasure, left) =>
            log.warn({ erasure, ...left }, 'a person is erased, but bytes stay in files of the database'),
        }),
      ),
      alertTask(sending.alerts),
      digestTask(sending.digests),
      fieldBacklogTask(createBacklog({ store, version })),
    ]);
    const tending = foundation.reserve ? [reserveTask(foundation.reserve)] : [];
    const supervisor = superviseTasks(
      [...leading, ...tending, tallyTask(tallies), healthTask(sending.health)],
      log,
    );
    closer.add('workers', async () => {
      const stopped = supervisor.stop();
      // A task may be waiting for the mail server.
      await sending.cutOffMail();
      await stopped;
    });
    if (works(role)) await sending.start();
    const begin = api?.begin ?? (async () => ({ firstAccount: null, setupToken: null }));
    // What the operator chose exists before the first request. A key that is shown only once is created when nothing can
    // fail any more: if this start found its port in use, the next one would have no key to show.
    const isChosen = config.apiKey !== null || config.adminEmail !== null;
    const chosen = isChosen ? await begin() : null;
    if (config.opsPort !== null) {
      const ops = await createOpsServer({ ...watching, access: privateAccess(config) });
      // Closed after `http`, so that it reports that this process is stopping while requests in flight finish.
      closer.add('ops', () => ops.close({ graceMs: 0, idleMs: 0 }));
      await ops.listen(config.host, config.opsPort);
    } else if (config.opsToken === null && !isLoopbackUrl(config.baseUrl)) {
      log.info('metrics are not served: set OPS_TOKEN or OPS_PORT');
    }
    const port = await http.listen(config.host, config.port);
    if (config.port === 0) ownEndpoints.add({ host: config.host, port, by: 'any-address' });
    // No proxy sends visitors to a process that is only a worker.
    let drainMs = api ? config.shutdownDrainMs : 0;
    closer.add('http', () => {
      const idleMs = Math.min(drainMs, longestIdleMs);
      return http.close({ graceMs: config.shutdownGraceMs, idleMs });
    });
    const { firstAccount, setupToken } = chosen ?? (await begin());
    // Everything continues during the drain, including webhook delivery: a visitor may be waiting for one. Keep-alive stays
    // on too. With `Connection: close`, a proxy that does not check `/readyz` opens a connection for each request, and those
    // not yet accepted when the port closes are reset: nginx failed 49 of 27,000 submissions, without it 0 of 26,000.
    closer.add('drain', async () => {
      readiness.stop();
      if (drainMs > 0) await pause(drainMs);
    });
    // Not earlier: a start may block the event loop.
    closer.add('loop watch', watchLoopHealth({ metrics, log }));
    return {
      port,
      firstAccount,
      setupToken,
      dataDir,
      stop({ drains } = { drains: true }) {
        if (!drains) drainMs = 0;
        return closer.close(onCloseError);
      },
    };
  } catch (error) {
    await closer.close(onCloseError);
    throw error;
  }
}
