/**
 * Waits for a database that is unavailable when the service starts. Exiting instead would leave the retries to the service
 * manager, and systemd gives up after a few of them: after a power failure the service would stay down.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../kernel/log.js';
import { StoreUnavailable } from '../../ports/store.js';
import type { Ending } from './ending.js';

const firstWaitMs = 250;
const longestWaitMs = 3_000;
const logEveryMs = 30_000;

/** Throws at once what waiting cannot fix (a wrong password, a newer schema). Returns null when a stop was requested meanwhile. */
export async function openWhenAvailable<T>(
  open: () => Promise<T>,
  log: Logger,
  { asked }: Pick<Ending, 'asked'>,
): Promise<T | null> {
  const startedAt = performance.now();
  let loggedAt = Number.NEGATIVE_INFINITY;
  let isAsked = false;
  void asked.then(() => {
    isAsked = true;
  });
  for (let waitMs = firstWaitMs; !isAsked; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreUnavailable && error.mayPass)) throw error;
      const now = performance.now();
      if (now - loggedAt >= logEveryMs) {
        loggedAt = now;
        const seconds = Math.round((now - startedAt) / 1000);
        log.warn({ reason: error.message, seconds }, 'waiting for the database');
      }
    }
    const timer = new AbortController();
    await Promise.race([asked, pause(waitMs, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
  }
  return null;
}
