/** Arguments for a server whose upkeep does not wait: what it does every 5 seconds or every hour, it does at once. */
import type { ServerOptions } from './server.js';

// What the database may take to connect is no wait of upkeep, and a busy one takes longer than 200 ms.
const hurry = `const wait = globalThis.setTimeout;
const isUpkeep = (ms) => [5000, 60000, 3600000].includes(ms) && !/connect|newClient/i.test(new Error().stack.split('\\n')[3]);
globalThis.setTimeout = Object.assign((work, ms, ...rest) => wait(work, isUpkeep(ms) ? 200 : ms, ...rest), wait);`;

const preloading = (script: string): ServerOptions => ({
  nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(script)}`],
});

export const hurriedUpkeep: ServerOptions = preloading(hurry);

/** The same, for a process whose clock is so many hours ahead: what was just stored is old. */
export const hoursLater = (hours: number): ServerOptions =>
  preloading(`${hurry}
const now = Date.now;
Date.now = () => now() + ${hours} * 3600000;`);
