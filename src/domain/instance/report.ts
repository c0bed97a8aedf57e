/** How the instance stands: for the page that an operator opens when something is slow. */
import type { Clock } from '../../kernel/clock.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { Store } from '../../ports/store.js';

export interface Instance {
  readonly version: string;
  readonly node: string;
  readonly startedAt: number;
  readonly uptimeMs: number;
  readonly database: { readonly engine: string; readonly sizeBytes: number };
  readonly storage: { readonly kind: string; readonly freeBytes: number | null };
  readonly queue: { readonly ageMs: number; readonly waiting: number };
  readonly sendsMail: boolean;
}

export type InstanceReport = () => Promise<Instance>;

/** Counting more takes longer than anybody wants to wait, and says no more. */
const mostWaiting = 100_000;

export function createInstanceReport(deps: {
  store: Store;
  blobs: BlobStore;
  clock: Clock;
  version: string;
  sendsMail: boolean;
}): InstanceReport {
  const { store, blobs, clock } = deps;
  const startedAt = clock.now();
  const beganAt = performance.now();
  return async () => {
    const [database, storage, dueAt, waiting] = await Promise.all([
      store.describe(),
      blobs.describe(),
      store.deliveries.oldestDueAt(),
      store.deliveries.countPending(mostWaiting),
    ]);
    return {
      version: deps.version,
      node: process.versions.node,
      startedAt,
      // Not from the clock, which may be set meanwhile.
      uptimeMs: performance.now() - beganAt,
      database,
      storage,
      queue: { ageMs: dueAt === null ? 0 : Math.max(0, clock.now() - dueAt), waiting },
      sendsMail: deps.sendsMail,
    };
  };
}
