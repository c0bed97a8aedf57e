/** Arguments for a server whose upkeep does not wait: what runs every 5 seconds, minute or hour runs after 200 ms. */
import type { ServerOptions } from './server.js';

// Only repeating timers: waits for a lock or a response keep their limits, because on a busy machine they take longer than 200 ms.
const hurry = `const wait = globalThis.setTimeout;
const repeats = /at (?:Object\\.)?(?:plan|after)(?:\\$\\d+)? \\(/;
const isUpkeep = (ms) => [5000, 60000, 3600000].includes(ms) && repeats.test(new Error().stack.split('\\n')[3]);
globalThis.setTimeout = Object.assign((work, ms, ...rest) => wait(work, isUpkeep(ms) ? 200 : ms, ...rest), wait);`;

const preloading = (script: string): ServerOptions => ({
  nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(script)}`],
});

export const hurriedUpkeep: ServerOptions = preloading(hurry);

/** The same, for a process whose clock is this many hours ahead: what was just stored is old. */
export const hoursLater = (hours: number): ServerOptions =>
  preloading(`${hurry}
const now = Date.now;
Date.now = () => now() + ${hours} * 3600000;`);
