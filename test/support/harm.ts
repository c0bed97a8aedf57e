/** What no bad input may cause: a 5xx, an inside look, a slow or bloated server, or errors in its log. */
import { expect } from 'vitest';
import { request } from './client.js';
import { insideLook } from './inside-look.js';
import { rawExchange, requestHead } from './raw.js';
import type { RunningServer } from './server.js';

const maxRssBytes = 512 * 1024 * 1024;

export function expectHarmless(answer: { readonly status: number; readonly text: string }): void {
  expect(answer.status).toBeGreaterThanOrEqual(200);
  expect(answer.status).toBeLessThan(500);
  expect(answer.text).not.toMatch(insideLook);
}

/** A rejection in the documented form: JSON with text in `error`. */
export function expectRefusal(
  answer: { readonly status: number; readonly text: string },
  statuses: readonly number[],
): void {
  expectHarmless(answer);
  expect(statuses).toContain(answer.status);
  expect(JSON.parse(answer.text).error).toEqual(expect.stringMatching(/\S/));
}

/** Raw bytes in, a rejection out. */
export async function expectRawRefusal(
  server: RunningServer,
  bytes: string | Buffer,
  statuses: readonly number[],
): Promise<void> {
  const { status, body } = await rawExchange(server.port, bytes);
  expectRefusal({ status, text: body }, statuses);
}

/** The server is alive, responds within a second, keeps its memory bounded, and had no internal error. */
export async function expectUnharmed(server: RunningServer): Promise<void> {
  expect(await bestHealthMs(server)).toBeLessThan(1_000);
  const metrics = await request(`${server.url}/metrics`);
  const [, rss] = /^\S*process_resident_memory_bytes\S* (\S+)$/m.exec(metrics.text) ?? [];
  expect(Number(rss)).toBeGreaterThan(0);
  expect(Number(rss)).toBeLessThan(maxRssBytes);
  expect(server.output()).not.toMatch(/"level":(?:50|60)|request failed|uncaught|unhandled/i);
}

/** The best of three: a busy machine may delay one, a blocked event loop delays all. */
async function bestHealthMs(server: RunningServer): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && best >= 1_000; tries += 1) {
    const start = performance.now();
    const { status } = await rawExchange(server.port, requestHead('GET', '/healthz'));
    expect(status).toBe(200);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
