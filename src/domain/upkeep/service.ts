/**
 * Upkeep: what must be done some time, and may be cut off at any time. Every step is bounded, can be repeated, and
 * leaves the store right; nothing here is ever waited for by a request.
 */
import type { Clock } from '../../kernel/clock.js';
import { trashLifeMs } from '../../model/inbox.js';
import { optInGraceMs } from '../../model/opt-in.js';
import {
  type FoundOrphans,
  isAbsurd,
  isOlderThan,
  orphanAgeMs,
  type SweepReport,
} from '../../model/orphans.js';
import { maxQuarantined, quarantineLifeMs } from '../../model/quarantine.js';
import { dayOf } from '../../model/tally.js';
import type { BlobEntry, BlobStore } from '../../ports/blobs.js';
import type { Store } from '../../ports/store.js';

export interface Upkeep {
  /** Brings the search index up to date. */
  index(signal: AbortSignal): Promise<void>;
  /**
   * Takes submissions of moved forms to their projects. Removes what was deleted: rows of deleted forms and projects, expired
   * rows, then bytes.
   */
  clean(signal: AbortSignal): Promise<void>;
  /**
   * Moves files that no row refers to into the trash, and deletes what has been in it for long enough. Null: it was
   * stopped before it had seen everything.
   */
  sweepOrphans(signal: AbortSignal): Promise<SweepReport | null>;
}

/** Others may be writing now; none of them writes for so long. */
const unfinishedAgeMs = 24 * 60 * 60 * 1000;
const blobsPerStep = 200;
const dayMs = 24 * 60 * 60 * 1000;
/** Time enough to notice that something is missing. */
const discardedLifeMs = 7 * 24 * 60 * 60 * 1000;
/** Of one sweep, which holds their keys in memory until it has seen everything; the next one finds the others. */
const maxDiscarded = 10_000;
/** In a bucket each of them is a copy. */
const discardsAtOnce = 20;
/** More than a year of counts, so that a month can be held against the same one a year ago. */
const countedDays = 400;
/** Charts of the last two months show the days of the reader's time zone; older ones, UTC days. */
const fineDays = 62;
/** They name addresses of visitors. */
const exampleLifeMs = 30 * 24 * 60 * 60 * 1000;

export function createUpkeep(deps: {
  store: Store;
  blobs: BlobStore;
  clock: Clock;
  /** How long the log of delivery attempts is kept. */
  attemptLifeMs: number;
  /** null: entries of the audit log are kept for ever. */
  auditRetentionDays: number | null;
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

  /** All files are counted before one is touched: only then is it known whether the orphans are plausible. */
  const findOrphans = async (
    signal: AbortSignal,
    before: number,
  ): Promise<(FoundOrphans & { keys: readonly string[] }) | null> => {
    const createdAt = (await store.accounts.findOldest())?.createdAt ?? clock.now();
    const found = { listed: 0, orphans: 0, older: 0, keys: [] as string[] };
    let page: BlobEntry[] = [];
    const look = async (): Promise<void> => {
      const referenced = await store.files.referenced(page.map(({ key }) => key));
      for (const { key, modifiedAt } of page.filter((entry) => !referenced.has(entry.key))) {
        found.orphans += 1;
        if (isOlderThan(modifiedAt, createdAt)) found.older += 1;
        if (found.keys.length < maxDiscarded) found.keys.push(key);
      }
      page = [];
    };
    for await (const entry of blobs.list()) {
      if (signal.aborted) return null;
      found.listed += 1;
      if (entry.modifiedAt < before) page.push(entry);
      if (page.length >= blobsPerStep) await look();
    }
    await look();
    return found;
  };

  const discard = async (keys: readonly string[], signal: AbortSignal): Promise<number> => {
    let discarded = 0;
    const faults: unknown[] = [];
    for (let from = 0; from < keys.length && !signal.aborted; from += discardsAtOnce) {
      const some = keys.slice(from, from + discardsAtOnce);
      for (const result of await Promise.allSettled(some.map((key) => blobs.discard(key)))) {
        if (result.status === 'rejected') faults.push(result.reason);
        else discarded += 1;
      }
    }
    // One that cannot be moved must not hold up the others; it comes up again in the next round.
    if (faults.length > 0) throw faults[0];
    return discarded;
  };

  return {
    index: (signal) => repeat(signal, () => store.indexStep()),

    async clean(signal) {
      const { purge } = store;
      const chores = [
        () => store.forms.moveStep(),
        () => purge.purgeDeletedStep(clock.now()),
        () => purge.purgeExpiredStep(clock.now()),
        () => purge.purgeExpiredFilesStep(clock.now()),
        () => purge.redactStep(clock.now()),
        () => purge.purgeTrashStep(clock.now() - trashLifeMs, clock.now()),
        () => purge.purgeUnconfirmedStep(clock.now() - optInGraceMs, clock.now()),
        () => purge.purgeIdempotentStep(clock.now()),
        () => purge.purgeChallengesStep(clock.now()),
        () => purge.purgeMailCapsStep(dayOf(clock.now()) - 1),
        () => purge.purgeQuarantineStep(clock.now() - quarantineLifeMs, maxQuarantined),
        () => purge.foldTalliesStep(dayOf(clock.now()) - fineDays),
        () => purge.purgeTalliesStep(dayOf(clock.now()) - countedDays, clock.now() - exampleLifeMs),
        () => purge.purgeSessionsStep(clock.now()),
        async () =>
          deps.auditRetentionDays !== null &&
          store.audit.expireStep(clock.now() - deps.auditRetentionDays * dayMs),
        () => purge.purgeAttemptsStep(clock.now() - deps.attemptLifeMs),
        async () => (await store.queue.takeIn(clock.now())) > 0,
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
      const at = clock.now();
      const unfinished = await blobs.sweepUnfinished(at - unfinishedAgeMs);
      const found = await findOrphans(signal, at - orphanAgeMs);
      if (found === null) return null;
      const { keys, ...counts } = found;
      const isRefused = isAbsurd(counts);
      const done = { ...counts, at, isRefused, discarded: 0, removed: unfinished };
      if (!isRefused) {
        done.discarded = await discard(keys, signal);
        done.removed += await blobs.sweepDiscarded(at - discardedLifeMs);
      }
      await store.files.noteSweep(done);
      return done;
    },
  };
}
