/**
 * A loopback port that is free now, and that no other process gets by chance before its server has started. It is below the range that the
 * system assigns from, and each of the test files that run at once has its own range.
 */
import { createServer } from 'node:net';

const lowest = 12_000;
const stretch = 2_000;
const stretches = 10;

/** The pool id of the test runner. What runs before all files has none. */
const place = Number(process.env.VITEST_POOL_ID ?? 0) % stretches;
let next = Math.floor(Math.random() * stretch);

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < stretch; tries += 1) {
    next = (next + 1) % stretch;
    const port = lowest + place * stretch + next;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}
