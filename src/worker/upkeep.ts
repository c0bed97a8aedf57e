/** How often upkeep does what. */

import { type Tallies, writeTalliesEveryMs } from '../domain/tallies/tallies.js';
import type { Upkeep } from '../domain/upkeep/service.js';
import { type ReplayService, replayStepMs } from '../domain/webhooks/replay.js';
import type { Logger } from '../kernel/log.js';
import type { Task } from './supervisor.js';

/** The index may lag so far behind while submissions pour in; a search brings it up to date itself. */
const maxIndexLagMs = 10_000;

export interface Pace {
  /** Nothing is being committed at the moment. */
  isQuiet(): boolean;
  now(): number;
}

export const upkeepTasks = (upkeep: Upkeep, log: Logger, pace: Pace): readonly Task[] => [
  searchIndexTask(upkeep, pace),
  { name: 'clean', everyMs: 5_000, run: (signal) => upkeep.clean(signal) },
  {
    name: 'orphan-sweep',
    everyMs: 60 * 60_000,
    // A service that is restarted more often than once an hour has orphans too.
    firstAfterMs: 60_000,
    async run(signal) {
      const removed = await upkeep.sweepOrphans(signal);
      if (removed > 0) log.info({ removed }, 'orphaned uploads removed');
    },
  },
];

/** Of several processes one does these; each may have missed some runs when its turn comes. */
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

/** A start must not wait for it. */
export const reserveTask = (reserve: { restore(): Promise<void> }): Task => ({
  name: 'space-reserve',
  everyMs: 5_000,
  firstAfterMs: 60_000,
  run: () => reserve.restore(),
});

export const tallyTask = (tallies: Tallies): Task => ({
  name: 'tallies',
  everyMs: writeTalliesEveryMs,
  run: () => tallies.write(),
});

/** Indexing shares the only writer with the commits, so it waits for a quiet moment: 11 % more submissions a second. */
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
