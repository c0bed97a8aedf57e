/** The background tasks, and how often each runs. */

import type { ReplayService } from '../domain/deliveries/replay.js';
import { replayStepMs } from '../domain/deliveries/replay-steps.js';
import { alertStepMs, type DestinationAlerts } from '../domain/destinations/alerts.js';
import type { LearnBacklog } from '../domain/fields/backlog.js';
import { type Erasing, erasureStepMs } from '../domain/persons/erasing.js';
import { type Digests, digestStepMs } from '../domain/sending/digests.js';
import { type HealthLog, writeHealthEveryMs } from '../domain/sending/health.js';
import { type Tallies, writeTalliesEveryMs } from '../domain/tallies/tallies.js';
import type { Upkeep } from '../domain/upkeep/service.js';
import type { Logger } from '../kernel/log.js';
import type { SweepReport } from '../model/orphans.js';
import type { Task } from './supervisor.js';

/** How far the index may lag behind while submissions keep arriving; a search brings it up to date itself. */
const maxIndexLagMs = 10_000;

export interface Pace {
  /** Whether nothing is being committed right now. */
  isQuiet(): boolean;
  now(): number;
}

export interface UpkeepOptions {
  readonly upkeep: Upkeep;
  readonly log: Logger;
  readonly pace: Pace;
  onSwept(report: SweepReport): void;
}

export const upkeepTasks = (options: UpkeepOptions): readonly Task[] => [
  searchIndexTask(options.upkeep, options.pace),
  { name: 'clean', everyMs: 5_000, run: (signal) => options.upkeep.clean(signal) },
  orphanSweepTask(options),
];

function orphanSweepTask({ upkeep, log, onSwept }: UpkeepOptions): Task {
  let warnedOf = 0;
  return {
    name: 'orphan-sweep',
    everyMs: 60 * 60_000,
    // A service that is restarted more than once an hour has orphans too.
    firstAfterMs: 60_000,
    async run(signal) {
      const report = await upkeep.sweepOrphans(signal);
      if (report === null) return;
      onSwept(report);
      const { listed, orphans, older, isRefused, discarded, removed } = report;
      if (discarded + removed > 0) log.info({ discarded, removed }, 'orphaned uploads moved to the trash');
      // Warns only when the number changes; the metric keeps reporting it.
      if (isRefused && orphans !== warnedOf) {
        log.warn(
          { files: listed, withoutRow: orphans, olderThanDatabase: older },
          'too many files have no row, or are older than the database: none was removed. Is this the right database? ' +
            'Look at them: inlet verify. If they are waste: inlet verify --discard-orphans',
        );
      }
      warnedOf = isRefused ? orphans : 0;
    },
  };
}

/** Only one of several processes runs these; when another takes over, it may have missed some runs. */
export const onlyWhen = (isOurs: () => boolean, tasks: readonly Task[]): readonly Task[] =>
  tasks.map((task) => ({
    ...task,
    run: async (signal) => {
      if (isOurs()) await task.run(signal);
    },
  }));

export const replayTask = (replays: ReplayService): Task => ({
  name: 'replays',
  everyMs: replayStepMs,
  run: (signal) => replays.step(signal),
});

export const erasureTask = (erasing: Erasing): Task => ({
  name: 'erasures',
  everyMs: erasureStepMs,
  // A restored database may have brought erased data back; it is erased again at once.
  firstAfterMs: 0,
  run: (signal) => erasing.step(signal),
});

/** The first run comes late, so that a start does not wait for it. */
export const reserveTask = (reserve: { restore(): Promise<void> }): Task => ({
  name: 'space-reserve',
  everyMs: 5_000,
  firstAfterMs: 60_000,
  run: () => reserve.restore(),
});

export const alertTask = (alerts: DestinationAlerts): Task => ({
  name: 'destination-alerts',
  everyMs: alertStepMs,
  run: (signal) => alerts.step(signal),
});

export const digestTask = (digests: Digests): Task => ({
  name: 'digests',
  everyMs: digestStepMs,
  run: (signal) => digests.step(signal),
});

/** Works through the whole backlog, step by step; afterwards it only checks for a process of another release. */
export const fieldBacklogTask = (learn: LearnBacklog): Task => ({
  name: 'field-backlog',
  everyMs: 5_000,
  // At once: on a new instance there is nothing to learn yet.
  firstAfterMs: 0,
  async run(signal) {
    while (!signal.aborted && (await learn()));
  },
});

export const healthTask = (health: HealthLog): Task => ({
  name: 'destination-health',
  everyMs: writeHealthEveryMs,
  run: () => health.write(),
});

export const tallyTask = (tallies: Tallies): Task => ({
  name: 'tallies',
  everyMs: writeTalliesEveryMs,
  run: () => tallies.write(),
});

/** Indexing shares the only writer with the commits, so it waits for a quiet moment: 11 % more submissions per second. */
function searchIndexTask(upkeep: Upkeep, pace: Pace): Task {
  let indexedAt = pace.now();
  return {
    name: 'search-index',
    everyMs: 1_000,
    async run(signal) {
      if (!pace.isQuiet() && pace.now() - indexedAt < maxIndexLagMs) return;
      await upkeep.index(signal);
      indexedAt = pace.now();
    },
  };
}
