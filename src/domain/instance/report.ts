/**
 * How the instance stands: for the page that an operator opens when something is slow. What sums up all accounts, or the
 * machine, is for the operator's account alone: the one that was made first.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../model/account.js';
import type { ServingProcess } from '../../model/process.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { Store } from '../../ports/store.js';

export interface Instance {
  readonly version: string;
  readonly node: string;
  readonly startedAt: number;
  readonly uptimeMs: number;
  /** Sizes, the queue and the processes are null for every account but the operator's. */
  readonly database: { readonly engine: string; readonly sizeBytes: number | null };
  readonly storage: { readonly kind: string; readonly freeBytes: number | null };
  readonly queue: { readonly ageMs: number | null; readonly waiting: number | null };
  readonly sendsMail: boolean;
  /** All that serve this instance, in the order of their start. */
  readonly processes: readonly ServingProcess[] | null;
}

export type InstanceReport = (who: Principal) => Promise<Instance>;

/** Counting more takes longer than anybody wants to wait, and says no more. */
const mostWaiting = 100_000;

export function createInstanceReport(deps: {
  store: Store;
  blobs: BlobStore;
  clock: Clock;
  version: string;
  sendsMail: boolean;
  /** This process. */
  processId: string;
}): InstanceReport {
  const { store, blobs, clock } = deps;
  const startedAt = clock.now();
  const beganAt = performance.now();

  /** Of everybody's deliveries together. */
  const queueNow = async (): Promise<Instance['queue']> => {
    const [dueAt, waiting] = await Promise.all([
      store.deliveries.oldestDueAt(),
      store.deliveries.countPending(mostWaiting),
    ]);
    return { ageMs: dueAt === null ? 0 : Math.max(0, clock.now() - dueAt), waiting };
  };

  /** The one that answers is here now, whenever it was last written down: alone, it never is again. */
  const processesNow = async (): Promise<readonly ServingProcess[]> =>
    (await store.processes.list()).map((one) =>
      one.id === deps.processId ? { ...one, seenAt: clock.now() } : one,
    );

  return async ({ accountId, projectIds }) => {
    const [database, storage, oldest] = await Promise.all([
      store.describe(),
      blobs.describe(),
      store.accounts.findOldest(),
    ]);
    const isOperator = projectIds === null && oldest?.id === accountId;
    return {
      version: deps.version,
      node: process.versions.node,
      startedAt,
      // Not from the clock, which may be set meanwhile.
      uptimeMs: performance.now() - beganAt,
      database: { engine: database.engine, sizeBytes: isOperator ? database.sizeBytes : null },
      storage: { kind: storage.kind, freeBytes: isOperator ? storage.freeBytes : null },
      queue: isOperator ? await queueNow() : { ageMs: null, waiting: null },
      sendsMail: deps.sendsMail,
      processes: isOperator ? await processesNow() : null,
    };
  };
}
