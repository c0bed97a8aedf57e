/** Arguments for a server whose upkeep does not wait: what it does every 5 seconds or every hour, it does at once. */
import type { ServerOptions } from './server.js';

const preload = `const wait = globalThis.setTimeout;
globalThis.setTimeout = Object.assign(
  (work, ms, ...rest) => wait(work, [5000, 60000, 3600000].includes(ms) ? 200 : ms, ...rest),
  wait,
);`;

export const hurriedUpkeep: ServerOptions = {
  nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(preload)}`],
};
