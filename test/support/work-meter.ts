/**
 * How long a request blocked the server's event loop, in CPU time of its main thread: what the machine does for other processes meanwhile
 * does not count. A request names itself in the header `x-case`. Its result is known when the next one comes. On a processor that is slower
 * than the one the limits were set on, or slowed down by other work, time counts for less.
 */
import { until } from './cli.js';
import type { RunningServer } from './server.js';
import { visit } from './visitor.js';

const meter = `import { subscribe } from 'node:diagnostics_channel';
import { openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const bytes = Buffer.alloc(64);
let file = null;
try { file = openSync('/proc/thread-self/schedstat', 'r'); } catch {}
const ranMs = () => {
  if (file === null) { const { user, system } = process.cpuUsage(); return (user + system) / 1e3; }
  return Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, 64, 0)).split(' ')[0]) / 1e6;
};
const sample = JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, name: 'name ' + id, text: 'x'.repeat(id % 50) })));
const paceMs = () => Math.min(...[1, 2, 3].map(() => {
  const from = ranMs();
  for (let i = 0; i < 8; i += 1) JSON.stringify(JSON.parse(sample));
  return ranMs() - from;
}));
let name, at = 0, longest = 0, isActive = false;
const settle = () => {
  const now = ranMs();
  longest = Math.max(longest, now - at);
  at = now;
};
const turn = () => {
  settle();
  if (isActive) setImmediate(turn);
};
if (isMainThread) {
  subscribe('http.server.request.start', ({ request }) => {
    settle();
    if (name !== undefined) process.stderr.write('work ' + name + ' ' + longest.toFixed(1) + '\\n');
    name = request.headers['x-case'];
    if (name?.startsWith('end-')) process.stderr.write('pace ' + paceMs().toFixed(1) + '\\n');
    longest = 0;
    at = ranMs();
    if (!isActive) setImmediate(turn);
    isActive = true;
  });
  subscribe('http.server.response.finish', () => { isActive = false; });
}`;

/** Arguments for node, before the program. */
export const meterArguments: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(meter)}`,
];

/** How long the fixed piece of work takes on the processor that the limits were set on, when it is otherwise idle. */
const usualPaceMs = 10;

/** The longest block of each request so far in ms, by name. */
export async function blocksOf(server: RunningServer): Promise<ReadonlyMap<string, number>> {
  const last = `end-${performance.now()}`;
  // The first reports the request before it, and the second reports the first.
  for (const _ of [1, 2])
    await visit(`${server.url}/healthz`, { method: 'GET', headers: { 'x-case': last } });
  const output = await until(
    async () => server.output(),
    (text) => text.includes(`work ${last} `),
  );
  const paces = [...output.matchAll(/^pace (\S+)$/gm)].map(([, ms]) => Number(ms));
  const share = usualPaceMs / Math.max(usualPaceMs, paces.at(-1) ?? Number.NaN);
  if (!(share > 0)) throw new Error('The server did not print how fast its processor is');
  return new Map(
    [...output.matchAll(/^work (\S+) (\S+)$/gm)].map(
      ([, name = '', ms]) => [name, Number(ms) * share] as const,
    ),
  );
}
