import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aStoredFile, someTime } from '../../../test/support/nouns.js';
import { onlyStore, type StorePart } from '../../../test/support/ports.js';
import { openDiskBlobs } from '../../adapters/blobs/disk.js';
import { newId } from '../../kernel/ids.js';
import type { SweepReport } from '../../model/orphans.js';
import { dayOf } from '../../model/tally.js';
import type { BlobStore } from '../../ports/blobs.js';
import { createUpkeep } from './service.js';

const hour = 60 * 60 * 1000;
const day = 24 * hour;

describe('upkeep', () => {
  let directory: string;
  let blobs: BlobStore;
  let now: number;
  const going = new AbortController().signal;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'inlet-upkeep-'));
    blobs = await openDiskBlobs({ directory, now: () => now });
  });
  beforeEach(() => {
    now = someTime;
  });
  afterEach(async () => {
    for await (const { key } of blobs.list()) await blobs.remove(key);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const upkeepOn = (parts: StorePart, on: BlobStore = blobs) =>
    createUpkeep({
      store: onlyStore(parts),
      blobs: on,
      clock: { now: () => now },
      auditRetentionDays: null,
      attemptLifeMs: 1_000,
    });

  const put = async (): Promise<string> => {
    const key = newId(now);
    await blobs.put(key, Readable.from([Buffer.from('bytes')]));
    return key;
  };
  const present = async (keys: readonly string[]) =>
    (await Promise.all(keys.map(async (key) => ((await blobs.size(key)) === null ? [] : [key])))).flat();

  const nothingToPurge: StorePart = {
    purge: {
      purgeDeletedStep: async () => false,
      purgeExpiredStep: async () => false,
      purgeExpiredFilesStep: async () => false,
      redactStep: async () => false,
      purgeTrashStep: async () => false,
      purgeUnconfirmedStep: async () => false,
      purgeIdempotentStep: async () => false,
      purgeChallengesStep: async () => false,
      purgeMailCapsStep: async () => false,
      purgeQuarantineStep: async () => false,
      foldTalliesStep: async () => false,
      purgeTalliesStep: async () => false,
      purgeSessionsStep: async () => false,
      purgeAttemptsStep: async () => false,
    },
    queue: { takeIn: async () => 0 },
    forms: { moveStep: async () => false },
  };
  const noFiles: StorePart = { files: { listUnremoved: async () => [], forgetBlobs: async () => {} } };
  const noVariants: StorePart = { variants: { listUnremoved: async () => [], forget: async () => {} } };

  describe('sweepOrphans', () => {
    const referring = (...keys: string[]): StorePart => sweeping({ referenced: knowing(keys) });
    const knowing = (keys: readonly string[]) => async (asked: readonly string[]) =>
      new Set(asked.filter((key) => keys.includes(key)));
    const sweeping = (files: StorePart['files']): StorePart => ({
      accounts: {
        findOldest: async () => ({
          id: newId(databaseMadeAt),
          name: 'First',
          plan: 'pro',
          twoFactorsRequired: false,
          createdAt: databaseMadeAt,
        }),
      },
      files: { noteSweep: async (report) => void noted.push(report), ...files },
    });
    let databaseMadeAt: number;
    let noted: SweepReport[];
    beforeEach(() => {
      databaseMadeAt = someTime - day;
      noted = [];
    });
    const discardedKeys = async (): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { key } of blobs.listDiscarded()) keys.push(key);
      return keys.sort();
    };
    afterEach(() => blobs.sweepDiscarded(Number.POSITIVE_INFINITY));

    it('moves old bytes that no file refers to into the trash, and nothing else', async () => {
      const [kept, orphan] = [await put(), await put()];
      now += hour + 1;
      const young = await put();
      const report = await upkeepOn(referring(kept)).sweepOrphans(going);
      expect(report).toEqual({
        ...{ at: now, listed: 3, orphans: 1, older: 0 },
        ...{ isRefused: false, discarded: 1, removed: 0 },
      });
      expect(noted).toEqual([report]);
      expect(await present([kept, orphan, young])).toEqual([kept, young]);
      expect(await discardedKeys()).toEqual([orphan]);
    });

    it('deletes for good what has been in the trash for seven days', async () => {
      const orphan = await put();
      now += 2 * hour;
      await upkeepOn(referring()).sweepOrphans(going);
      now += 7 * day;
      expect(await upkeepOn(referring()).sweepOrphans(going)).toMatchObject({ removed: 0 });
      expect(await discardedKeys()).toEqual([orphan]);
      now += 1;
      expect(await upkeepOn(referring()).sweepOrphans(going)).toMatchObject({ removed: 1 });
      expect(await discardedKeys()).toEqual([]);
    });

    it('leaves bytes alone that may belong to a request in flight', async () => {
      const fresh = await put();
      now += hour;
      expect(await upkeepOn(referring()).sweepOrphans(going)).toMatchObject({ orphans: 0, discarded: 0 });
      now += 1;
      expect(await upkeepOn(referring()).sweepOrphans(going)).toMatchObject({ orphans: 1, discarded: 1 });
      expect(await present([fresh])).toEqual([]);
    });

    it('does not take the bytes of a variant, nor an upload that was begun long ago and just finished', async () => {
      const variant = await put();
      now += 2 * hour;
      // Its key was made when the upload began; what counts is when its bytes were complete.
      const slow = newId(now - 90 * 60 * 1000);
      await blobs.put(slow, Readable.from([Buffer.from('bytes')]));
      expect(await upkeepOn(referring(variant)).sweepOrphans(going)).toMatchObject({ discarded: 0 });
      expect(await present([variant, slow])).toEqual([variant, slow]);
    });

    /** `count` blobs, of which the first `orphans` have no row. */
    const listing = (count: number, orphans: number) => {
      const keys = Array.from({ length: count }, () => newId(now));
      const discarded: string[] = [];
      const asked: number[] = [];
      const store: BlobStore = {
        ...blobs,
        async *list() {
          for (const key of keys) yield { key, modifiedAt: someTime };
        },
        async discard(key) {
          discarded.push(key);
        },
      };
      const known = new Set(keys.slice(orphans));
      const parts = sweeping({
        async referenced(some) {
          asked.push(some.length);
          return new Set(some.filter((key) => known.has(key)));
        },
      });
      return { keys, discarded, asked, store, parts };
    };

    it('asks about a bounded number at a time and misses none', async () => {
      const { keys, discarded, asked, store, parts } = listing(450, 100);
      now += 2 * hour;
      expect(await upkeepOn(parts, store).sweepOrphans(going)).toMatchObject({ listed: 450, discarded: 100 });
      expect(discarded.sort()).toEqual(keys.slice(0, 100).sort());
      expect(Math.max(...asked)).toBeLessThanOrEqual(200);
    });

    it.each([
      [1, 1, false],
      [100, 100, false],
      [101, 101, true],
      [950, 101, true],
      [1_010, 101, false],
      [1_010, 102, true],
      [3_000, 300, false],
      [3_000, 301, true],
    ])('of %i files, %i without a row: refused %s', async (count, orphans, isRefused) => {
      const { discarded, store, parts } = listing(count, orphans);
      now += 2 * hour;
      const report = await upkeepOn(parts, store).sweepOrphans(going);
      expect(report).toMatchObject({ listed: count, orphans, isRefused });
      expect(discarded).toHaveLength(isRefused ? 0 : orphans);
      expect(noted).toEqual([report]);
    });

    it('takes nothing that is older than the database, nor anything else then, and leaves the trash alone', async () => {
      await put();
      now += 2 * hour;
      await upkeepOn(referring()).sweepOrphans(going);
      expect(await discardedKeys()).toHaveLength(1);
      now += 8 * day;
      const before = await put();
      databaseMadeAt = now + hour;
      now += 2 * hour;
      const after = await put();
      now += 2 * hour;
      const report = await upkeepOn(referring()).sweepOrphans(going);
      expect(report).toMatchObject({ orphans: 2, older: 1, isRefused: true, discarded: 0, removed: 0 });
      expect(await present([before, after])).toEqual([before, after]);
      expect(await discardedKeys()).toHaveLength(1);
    });

    it('removes nothing when the store cannot say what is in use', async () => {
      const key = await put();
      now += 2 * hour;
      const upkeep = upkeepOn(sweeping({ referenced: () => Promise.reject(new Error('down')) }));
      await expect(upkeep.sweepOrphans(going)).rejects.toThrow('down');
      expect(await present([key])).toEqual([key]);
    });

    it('is not held up by one that cannot be moved', async () => {
      const [stuck, free] = [await put(), await put()];
      now += 2 * hour;
      const sticky: BlobStore = {
        ...blobs,
        discard: (key) => (key === stuck ? Promise.reject(new Error('too large')) : blobs.discard(key)),
      };
      await expect(upkeepOn(referring(), sticky).sweepOrphans(going)).rejects.toThrow('too large');
      expect(await present([stuck, free])).toEqual([stuck]);
    });

    it('stops when it is asked to', async () => {
      const key = await put();
      now += 2 * hour;
      expect(await upkeepOn(referring()).sweepOrphans(AbortSignal.abort())).toBeNull();
      expect(await present([key])).toEqual([key]);
    });

    it('removes what a crash left of unfinished uploads, and not what may still be written', async () => {
      const [old, young] = [join(directory, '.staging', 'old'), join(directory, '.staging', 'young')];
      for (const path of [old, young]) await writeFile(path, 'half');
      await utimes(old, new Date(now - day - 1_000), new Date(now - day - 1_000));
      await utimes(young, new Date(now - day + 1_000), new Date(now - day + 1_000));
      expect(await upkeepOn(referring()).sweepOrphans(going)).toMatchObject({ removed: 1 });
      expect(await readdir(join(directory, '.staging'))).toEqual(['young']);
      await rm(young);
    });
  });

  describe('clean', () => {
    it('repeats each step until nothing is left, with the time of the clock', async () => {
      const steps: string[] = [];
      let [deleted, expired] = [3, 2];
      const upkeep = upkeepOn({
        forms: {
          async moveStep() {
            steps.push('moved');
            return steps.length < 2;
          },
        },
        purge: {
          async purgeDeletedStep(at) {
            steps.push(`deleted ${at - someTime}`);
            deleted -= 1;
            return deleted > 0;
          },
          async purgeExpiredStep(at) {
            steps.push(`expired ${at - someTime}`);
            expired -= 1;
            return expired > 0;
          },
          async purgeExpiredFilesStep(at) {
            steps.push(`expired files ${at - someTime}`);
            return false;
          },
          async redactStep(at) {
            steps.push(`redact ${at - someTime}`);
            return false;
          },
          async purgeTrashStep(before, at) {
            steps.push(`trash ${before - someTime} ${at - someTime}`);
            return false;
          },
          async purgeUnconfirmedStep(before, at) {
            steps.push(`unconfirmed ${before - someTime} ${at - someTime}`);
            return false;
          },
          async purgeIdempotentStep(at) {
            steps.push(`keys ${at - someTime}`);
            return false;
          },
          async purgeChallengesStep(at) {
            steps.push(`challenges ${at - someTime}`);
            return false;
          },
          async purgeMailCapsStep(beforeDay) {
            steps.push(`mail caps ${beforeDay - dayOf(someTime)}`);
            return false;
          },
          async purgeQuarantineStep(before, { perForm }) {
            steps.push(`quarantine ${before - someTime} ${perForm}`);
            return false;
          },
          async foldTalliesStep(beforeDay) {
            steps.push(`fold ${beforeDay - dayOf(someTime)}`);
            return false;
          },
          async purgeTalliesStep(beforeDay, examplesBefore) {
            steps.push(`tallies ${beforeDay - dayOf(someTime)} ${(examplesBefore - someTime) / hour}`);
            return false;
          },
          async purgeSessionsStep(at) {
            steps.push(`sessions ${at - someTime}`);
            return false;
          },
          async purgeAttemptsStep(before) {
            steps.push(`attempts ${before - someTime}`);
            return false;
          },
        },
        queue: {
          async takeIn(at) {
            steps.push(`taken in ${at - someTime}`);
            return 0;
          },
        },
        ...noFiles,
        ...noVariants,
      });
      await upkeep.clean(going);
      expect(steps).toEqual([
        'moved',
        'moved',
        'deleted 0',
        'deleted 0',
        'deleted 0',
        'expired 0',
        'expired 0',
        'expired files 0',
        'redact 0',
        'trash -2592000000 0',
        'unconfirmed -3600000 0',
        'keys 0',
        'challenges 0',
        'mail caps -1',
        'quarantine -2592000000 1000',
        'fold -62',
        'tallies -400 -720',
        'sessions 0',
        'attempts -1000',
        'taken in 0',
      ]);
    });

    /** Tombstones as in the store. */
    const tombstones = (keys: readonly string[]) => {
      const left = new Map(
        keys.map((blobKey) => [blobKey, aStoredFile({ id: blobKey, blobKey, deletedAt: now })]),
      );
      const files: StorePart['files'] = {
        listUnremoved: async (limit) => [...left.values()].slice(0, limit),
        async forgetBlobs(ids) {
          for (const id of ids) {
            expect(await blobs.size(id), 'forgotten only after its bytes are gone').toBeNull();
            left.delete(id);
          }
        },
      };
      return { left, files };
    };

    it('removes the bytes of deleted files, however many, and then forgets them', async () => {
      const keys = [await put(), await put(), ...Array.from({ length: 399 }, () => newId(now))];
      const other = await put();
      const { left, files } = tombstones(keys);
      await upkeepOn({ ...nothingToPurge, ...noVariants, files }).clean(going);
      expect(left.size).toBe(0);
      expect(await present([...keys, other])).toEqual([other]);
    });

    it('keeps a tombstone on its list when its bytes could not be removed', async () => {
      const key = await put();
      const { left, files } = tombstones([key]);
      const stuck: BlobStore = { ...blobs, remove: () => Promise.reject(new Error('read-only')) };
      await expect(upkeepOn({ ...nothingToPurge, ...noVariants, files }, stuck).clean(going)).rejects.toThrow(
        'read-only',
      );
      expect(left.size).toBe(1);
      await upkeepOn({ ...nothingToPurge, ...noVariants, files }).clean(going);
      expect(left.size).toBe(0);
    });

    /** Variants that are marked as removed, as in the store. */
    const removedVariants = (keys: readonly string[]) => {
      const left = new Set(keys);
      const variants: StorePart['variants'] = {
        listUnremoved: async (limit) => [...left].slice(0, limit),
        async forget(some) {
          for (const key of some) {
            expect(await blobs.size(key), 'forgotten only after its bytes are gone').toBeNull();
            left.delete(key);
          }
        },
      };
      return { left, variants };
    };
    /** A blob store in which these cannot be removed. */
    const sticking = (...stuck: readonly string[]): BlobStore => ({
      ...blobs,
      remove: (key) => (stuck.includes(key) ? Promise.reject(new Error('read-only')) : blobs.remove(key)),
    });

    it('removes the bytes of removed variants, however many, and then forgets them', async () => {
      const keys = [await put(), await put(), ...Array.from({ length: 399 }, () => newId(now))];
      const other = await put();
      const { left, variants } = removedVariants(keys);
      await upkeepOn({ ...nothingToPurge, ...noFiles, variants }).clean(going);
      expect(left.size).toBe(0);
      expect(await present([...keys, other])).toEqual([other]);
    });

    it('is not held up by one variant whose bytes cannot be removed, and tries it again', async () => {
      const [stuck, free] = [await put(), await put()];
      const { left, variants } = removedVariants([stuck, free]);
      const parts = { ...nothingToPurge, ...noFiles, variants };
      await expect(upkeepOn(parts, sticking(stuck)).clean(going)).rejects.toThrow('read-only');
      expect([...left]).toEqual([stuck]);
      expect(await present([stuck, free])).toEqual([stuck]);
      await upkeepOn(parts).clean(going);
      expect(left.size).toBe(0);
      expect(await present([stuck])).toEqual([]);
    });

    it('removes variants also while the bytes of a file cannot be removed', async () => {
      const [stuck, variant] = [await put(), await put()];
      const { files } = tombstones([stuck]);
      const { left, variants } = removedVariants([variant]);
      const upkeep = upkeepOn({ ...nothingToPurge, files, variants }, sticking(stuck));
      await expect(upkeep.clean(going)).rejects.toThrow('read-only');
      expect(left.size).toBe(0);
      expect(await present([stuck, variant])).toEqual([stuck]);
    });

    it('ends between two steps when it is asked to', async () => {
      const ending = new AbortController();
      let steps = 0;
      const upkeep = upkeepOn({
        forms: { moveStep: async () => false },
        purge: {
          async purgeDeletedStep() {
            steps += 1;
            ending.abort();
            return true;
          },
          purgeTrashStep: async () => false,
          purgeUnconfirmedStep: async () => false,
          purgeIdempotentStep: async () => false,
          purgeChallengesStep: async () => false,
          purgeMailCapsStep: async () => false,
          purgeQuarantineStep: async () => false,
          foldTalliesStep: async () => false,
          purgeTalliesStep: async () => false,
          purgeSessionsStep: async () => false,
          purgeAttemptsStep: async () => false,
        },
      });
      await upkeep.clean(ending.signal);
      expect(steps).toBe(1);
    });
  });

  it('indexes step by step until nothing is left', async () => {
    let left = 4;
    const upkeep = upkeepOn({
      async indexStep() {
        left -= 1;
        return left > 0;
      },
    });
    await upkeep.index(going);
    expect(left).toBe(0);
  });
});
