/**
 * The state of the instance, for the page that an operator opens when something is slow. What covers all accounts, or the
 * machine, is only for the operator's account, which is the oldest one.
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
  /** All processes of this instance, in the order of their start. */
  readonly processes: readonly ServingProcess[] | null;
}

export type InstanceReport = (who: Principal) => Promise<Instance>;

/** Counting more takes too long, and says no more. */
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

  /** Covers the deliveries of all accounts. */
  const queueNow = async (): Promise<Instance['queue']> => {
    const [dueAt, waiting] = await Promise.all([
      store.deliveries.oldestDueAt(),
      store.deliveries.countPending(mostWaiting),
    ]);
    return { ageMs: dueAt === null ? 0 : Math.max(0, clock.now() - dueAt), waiting };
  };

  /** This process is alive now, whenever its row was last written: a lone process writes it only at its start. */
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
      // Not from the wall clock, which may be set meanwhile.
      uptimeMs: performance.now() - beganAt,
      database: { engine: database.engine, sizeBytes: isOperator ? database.sizeBytes : null },
      storage: { kind: storage.kind, freeBytes: isOperator ? storage.freeBytes : null },
      queue: isOperator ? await queueNow() : { ageMs: null, waiting: null },
      sendsMail: deps.sendsMail,
      processes: isOperator ? await processesNow() : null,
    };
  };
}
