/**
 * Upkeep: what must be done some time, and may be cut off at any time. Every step is bounded, can be repeated, and
 * leaves the store right; nothing here is ever waited for by a request.
 */
import type { Clock } from '../../kernel/clock.js';
import { maxQuarantined, quarantineLifeMs } from '../../model/quarantine.js';
import { dayOf } from '../../model/tally.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { Store } from '../../ports/store.js';

export interface Upkeep {
  /** Brings the search index up to date. */
  index(signal: AbortSignal): Promise<void>;
  /** Removes what was deleted: rows of deleted forms and projects, expired rows, then bytes. */
  clean(signal: AbortSignal): Promise<void>;
  /** Removes bytes that no row refers to. Returns how many. */
  sweepOrphans(signal: AbortSignal): Promise<number>;
}

/** Longer than any request may take (15 minutes), so that an upload in flight is never taken for an orphan. */
const orphanAgeMs = 60 * 60 * 1000;
/** Others may be writing now; none of them writes for so long. */
const unfinishedAgeMs = 24 * 60 * 60 * 1000;
const blobsPerStep = 200;
/** More than a year of counts, so that a month can be held against the same one a year ago. */
const countedDays = 400;
/** They name addresses of visitors. */
const exampleLifeMs = 30 * 24 * 60 * 60 * 1000;

export function createUpkeep(deps: {
  store: Store;
  blobs: BlobStore;
  clock: Clock;
  /** How long the log of delivery attempts is kept. */
  attemptLifeMs: number;
}): Upkeep {
  const { store, blobs, clock } = deps;

  const repeat = async (signal: AbortSignal, step: () => Promise<boolean>): Promise<void> => {
    while (!signal.aborted && (await step()));
  };

  const removeBytesStep = async (): Promise<boolean> => {
    const files = await store.files.listUnremoved(blobsPerStep);
    const removals = await Promise.allSettled(files.map((file) => blobs.remove(file.blobKey)));
    // One that cannot be removed must not hold up the others; it comes up again in the next round.
    const removed = files.filter((_, index) => removals[index]?.status === 'fulfilled');
    await store.files.forgetBlobs(removed.map((file) => file.id));
    const failed = removals.find((removal) => removal.status === 'rejected');
    if (failed) throw failed.reason;
    return files.length === blobsPerStep;
  };

  const removeVariantsStep = async (): Promise<boolean> => {
    const keys = await store.variants.listUnremoved(blobsPerStep);
    const removals = await Promise.allSettled(keys.map((key) => blobs.remove(key)));
    await store.variants.forget(keys.filter((_, index) => removals[index]?.status === 'fulfilled'));
    const failed = removals.find((removal) => removal.status === 'rejected');
    if (failed) throw failed.reason;
    return keys.length === blobsPerStep;
  };

  return {
    index: (signal) => repeat(signal, () => store.indexStep()),

    async clean(signal) {
      const { purge } = store;
      const chores = [
        () => purge.purgeDeletedStep(clock.now()),
        () => purge.purgeExpiredStep(clock.now()),
        () => purge.purgeIdempotentStep(clock.now()),
        () => purge.purgeChallengesStep(clock.now()),
        () => purge.purgeQuarantineStep(clock.now() - quarantineLifeMs, maxQuarantined),
        () => purge.purgeTalliesStep(dayOf(clock.now()) - countedDays, clock.now() - exampleLifeMs),
        () => purge.purgeSessionsStep(clock.now()),
        () => purge.purgeAttemptsStep(clock.now() - deps.attemptLifeMs),
        removeBytesStep,
        removeVariantsStep,
      ];
      const faults: unknown[] = [];
      for (const chore of chores) {
        // What one of them cannot do must not keep the others undone.
        await repeat(signal, chore).catch((error: unknown) => faults.push(error));
      }
      if (faults.length > 0) throw faults[0];
    },

    async sweepOrphans(signal) {
      const before = clock.now() - orphanAgeMs;
      let removed = await blobs.sweepUnfinished(clock.now() - unfinishedAgeMs);
      let keys: string[] = [];
      const sweep = async (): Promise<void> => {
        const referenced = await store.files.referenced(keys);
        const orphans = keys.filter((key) => !referenced.has(key));
        keys = [];
        await Promise.all(orphans.map((key) => blobs.remove(key)));
        removed += orphans.length;
      };
      for await (const { key, modifiedAt } of blobs.list()) {
        if (signal.aborted) return removed;
        if (modifiedAt < before) keys.push(key);
        if (keys.length >= blobsPerStep) await sweep();
      }
      await sweep();
      return removed;
    },
  };
}
