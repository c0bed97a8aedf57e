/**
 * Logs internal errors. A full disk or a locked database fails every request in the same way: the first error of a kind is logged
 * at once, the next ones are only counted, so that the log stays readable when it matters.
 */
import type { IncomingMessage } from 'node:http';
import type { Logger } from '../kernel/log.js';
import type { RequestIds } from './connection/request-ids.js';

const quietMs = 10_000;

/** `request` is omitted where an error belongs to none. */
export type FaultLog = (error: unknown, path: string, request?: IncomingMessage) => void;

export function createFaultLog(log: Logger, ids: RequestIds): FaultLog {
  const kinds = new Map<string, { until: number; unlogged: number }>();
  return (error, path, request) => {
    const kind = error instanceof Error ? error.name : 'unknown';
    const now = performance.now();
    const known = kinds.get(kind);
    // A plain Error is an internal error: each may have a different cause.
    if (known && now < known.until && kind !== 'Error') {
      known.unlogged += 1;
      return;
    }
    kinds.set(kind, { until: now + quietMs, unlogged: 0 });
    log.error(
      {
        err: error,
        path,
        ...(request && ids.marks(request)),
        ...(known && known.unlogged > 0 ? { same_before: known.unlogged } : {}),
      },
      'request failed',
    );
  };
}
