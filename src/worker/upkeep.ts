/** How often upkeep does what. */
import type { Upkeep } from '../domain/upkeep/service.js';
import type { Logger } from '../kernel/log.js';
import type { Task } from './supervisor.js';

export const upkeepTasks = (upkeep: Upkeep, log: Logger): readonly Task[] => [
  { name: 'search-index', everyMs: 1_000, run: (signal) => upkeep.index(signal) },
  { name: 'clean', everyMs: 5_000, run: (signal) => upkeep.clean(signal) },
  {
    name: 'orphan-sweep',
    everyMs: 60 * 60_000,
    async run(signal) {
      const removed = await upkeep.sweepOrphans(signal);
      if (removed > 0) log.info({ removed }, 'orphaned uploads removed');
    },
  },
];
