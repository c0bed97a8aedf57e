import { memoryCounters } from '../../src/adapters/counters/memory.js';
import { countersContract } from './counters.js';

countersContract('memory', async () => {
  let time = 1_700_000_000_000;
  const counters = memoryCounters({ now: () => time });
  return {
    counters,
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
    dispose: () => counters.close(),
  };
});
