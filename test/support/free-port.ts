/**
 * A port of the loopback that nobody listens on now, and that nobody is given by chance before its server has started: it
 * lies below those that the system hands out to who does not ask for one, and each of the files that run at once has a
 * stretch of its own.
 */
import { createServer } from 'node:net';

const lowest = 12_000;
const stretch = 2_000;
const stretches = 10;

/** Of the test runner; what runs before all files has none. */
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
