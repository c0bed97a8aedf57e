/**
 * Upkeep: work that must be done eventually, and may be interrupted at any time. Every step is bounded, can be repeated, and
 * leaves the store consistent. No request ever waits for it.
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
   * Moves submissions of moved forms to their projects. Removes what was deleted or has expired: rows of deleted forms and
   * projects, expired rows, then bytes.
   */
  clean(signal: AbortSignal): Promise<void>;
  /**
   * Moves files that no row refers to into the trash, and deletes what has been there for long enough. Returns null when it was
   * stopped before it had seen everything.
   */
  sweepOrphans(signal: AbortSignal): Promise<SweepReport | null>;
}

/** Uploads may be in progress; none takes this long. */
const unfinishedAgeMs = 24 * 60 * 60 * 1000;
const blobsPerStep = 200;
const dayMs = 24 * 60 * 60 * 1000;
/** Time enough to notice that something is missing. */
const discardedLifeMs = 7 * 24 * 60 * 60 * 1000;
/** Per sweep, which has the keys in memory until it has seen everything. The next one finds the rest. */
const maxDiscarded = 10_000;
/** In a bucket each one is a copy. */
const discardsAtOnce = 20;
/** More than a year of counts, so that a month can be compared with the same month a year ago. */
const countedDays = 400;
/** Charts of the last two months use days of the reader's time zone; older ones use UTC days. */
const fineDays = 62;
/** They contain addresses of visitors. */
const exampleLifeMs = 30 * 24 * 60 * 60 * 1000;

export function createUpkeep(deps: {
  store: Store;
  blobs: BlobStore;
  clock: Clock;
  /** How long entries stay in the log of delivery attempts. */
  attemptLifeMs: number;
  /** null: entries of the audit log never expire. */
  auditRetentionDays: number | null;
}): Upkeep {
  const { store, blobs, clock } = deps;

  const repeat = async (signal: AbortSignal, step: () => Promise<boolean>): Promise<void> => {
    while (!signal.aborted && (await step()));
  };

  const removeBytesStep = async (): Promise<boolean> => {
    const files = await store.files.listUnremoved(blobsPerStep);
    const removals = await Promise.allSettled(files.map((file) => blobs.remove(file.blobKey)));
    // A file that cannot be removed must not delay the others. The next round tries it again.
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

  /** Counts all files before it touches one: only then is it known whether the orphans are plausible. */
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
    // A file that cannot be moved must not delay the others. The next round tries it again.
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
        // The failure of one chore must not block the others.
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
