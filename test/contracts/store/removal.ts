import { describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import { noFilter } from '../../../src/model/submission.js';
import type { Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import {
  aForm,
  anAccount,
  anEntry,
  day,
  epoch,
  made,
  madePlace,
  nextInstant,
  type Place,
} from './samples.js';

const countIn = async (store: Store, place: Place): Promise<number> =>
  (await store.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount ?? -1;

const listed = async (store: Store, place: Place): Promise<readonly string[]> => {
  const scope = { kind: 'form', formId: place.form.id } as const;
  return (await store.submissions.list(scope, noFilter, { limit: 5000, after: null })).items.map(
    ({ id }) => id,
  );
};

export function removalContract(make: MakeHarness): void {
  describe('a sweep', () => {
    const harness = fresh(make);

    it('is remembered until the next one, by every process', async () => {
      const { store, another } = harness();
      expect(await store.files.lastSweep()).toBeNull();
      const counts = { listed: 3_000_000_000, orphans: 2, older: 1, discarded: 0, removed: 0 };
      const first = { ...counts, at: epoch, isRefused: true };
      await store.files.noteSweep(first);
      const other = await another();
      expect(await other.files.lastSweep()).toEqual(first);
      const second = { ...first, at: epoch + day, isRefused: false };
      await other.files.noteSweep(second);
      await other.close();
      expect(await store.files.lastSweep()).toEqual(second);
    });
  });

  describe('deleting a submission', () => {
    const harness = shared(make);

    it('takes its deliveries along, counts it out and leaves tombstones of its files', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, files } = await made(store, place, { files: 2, deliveries: 2 });
      const kept = await made(store, place, { files: 1, deliveries: 1 });
      const deletedAt = nextInstant();
      const returned = await store.submissions.delete(submission.id, deletedAt);
      expect(returned.map(({ id, blobKey }) => [id, blobKey])).toEqual(files.map((f) => [f.id, f.blobKey]));
      expect(await store.submissions.find(wholeAccount(place.accountId), submission.id)).toBeNull();
      expect(await store.deliveries.listBySubmission(submission.id)).toEqual([]);
      expect(await countIn(store, place)).toBe(1);
      for (const file of files) {
        // A 410 needs only the owner and the time of deletion. What a visitor typed is removed, too.
        const { id, accountId, blobKey } = file;
        expect(await store.files.findAny(id)).toMatchObject({
          id,
          accountId,
          blobKey,
          deletedAt,
          filename: '',
        });
      }
      expect(await store.submissions.find(wholeAccount(place.accountId), kept.submission.id)).toEqual({
        ...kept.submission,
        files: kept.files,
        deliveryState: 'pending',
      });
      expect(await store.deliveries.listBySubmission(kept.submission.id)).toHaveLength(1);
    });

    it('does nothing the second time, not even to the count', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, files } = await made(store, place, { files: 1 });
      await made(store, place);
      const deletedAt = nextInstant();
      await store.submissions.delete(submission.id, deletedAt);
      await store.submissions.delete(submission.id, nextInstant());
      expect(await countIn(store, place)).toBe(1);
      expect((await store.files.findAny(files[0]?.id ?? ''))?.deletedAt).toBe(deletedAt);
    });

    it('counts right when many are deleted while others arrive', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const old = Array.from({ length: 30 }, () => anEntry(place));
      await store.commit(old);
      await Promise.all([
        ...old.map(({ submission }) => store.submissions.delete(submission.id, nextInstant())),
        ...Array.from({ length: 30 }, () => made(store, place)),
      ]);
      expect(await countIn(store, place)).toBe(30);
      expect(await listed(store, place)).toHaveLength(30);
    });
  });

  describe('files', () => {
    const harness = fresh(make);

    it('leaves a tombstone, and keeps the first time of deletion', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, files } = await made(store, place, { files: 2 });
      const id = files[0]?.id ?? '';
      await store.files.markDeleted(id, 1000);
      await store.files.markDeleted(id, 2000);
      expect(await store.files.findAny(id)).toMatchObject({ deletedAt: 1000, filename: '', sha256: '' });
      const left = await store.submissions.find(wholeAccount(place.accountId), submission.id);
      expect(left?.files).toEqual([files[1]]);
      expect(await store.files.findAny('unknown')).toBeNull();
      const { accountId = '' } = files[0] ?? {};
      expect(await store.files.find(wholeAccount(accountId), id)).toMatchObject({ id, deletedAt: 1000 });
      expect(await store.files.find(wholeAccount('another account'), id)).toBeNull();
      expect(await store.files.find(wholeAccount(accountId), 'unknown')).toBeNull();
    });

    it('names tombstones until their bytes are forgotten', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { files } = await made(store, place, { files: 5 });
      for (const file of files.slice(0, 3)) await store.files.markDeleted(file.id, nextInstant());
      const unremoved = async (limit: number) =>
        (await store.files.listUnremoved(limit)).map(({ blobKey }) => blobKey);
      expect(await unremoved(2)).toHaveLength(2);
      const wanted = files.slice(0, 3).map(({ blobKey }) => blobKey);
      expect((await unremoved(100)).sort()).toEqual([...wanted].sort());
      await store.files.forgetBlobs([]);
      await store.files.forgetBlobs(files.slice(0, 2).map(({ id }) => id));
      expect(await unremoved(100)).toEqual(wanted.slice(2));
      expect((await store.files.findAny(files[0]?.id ?? ''))?.deletedAt).not.toBeNull();
    });

    it('knows which blobs are referred to', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { files } = await made(store, place, { files: 2 });
      const keys = files.map(({ blobKey }) => blobKey);
      expect(await store.files.referenced([])).toEqual(new Set());
      expect(await store.files.referenced([...keys, 'orphan-0001'])).toEqual(new Set(keys));
      await store.files.markDeleted(files[0]?.id ?? '', nextInstant());
      await store.files.forgetBlobs([files[0]?.id ?? '']);
      expect(await store.files.referenced(keys)).toEqual(new Set(keys.slice(1)));
    });
  });

  describe('purging', () => {
    const harness = fresh(make);

    it('has nothing to do in a store where nothing was deleted', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await made(store, place, { files: 1 });
      expect(await store.purge.purgeDeletedStep(epoch + 1000 * day)).toBe(false);
      expect(await store.purge.purgeExpiredStep(epoch + 1000 * day)).toBe(false);
      expect(await countIn(store, place)).toBe(1);
    });

    it('removes a deleted form in bounded steps, in any store that goes on with it', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const neighbour = await madePlace(store);
      const doomed = Array.from({ length: 900 }, (_, i) =>
        anEntry(place, { files: i % 100 === 0 ? 1 : 0, deliveries: 1, key: `k${i}` }),
      );
      await store.commit(doomed);
      const kept = await made(store, neighbour, { files: 1, deliveries: 1, key: 'k1' });
      while (await store.indexStep());
      await store.forms.markDeleted(place.form.id, nextInstant());
      const other = await harness().another();
      try {
        let steps = 0;
        // Two stores in turn: a step depends on nothing that only one process remembers.
        while (await (steps % 2 ? other : store).purge.purgeDeletedStep(nextInstant())) steps += 1;
        expect(steps).toBeGreaterThan(3);
        expect(steps).toBeLessThan(100);
      } finally {
        await other.close();
      }
      for (const { submission, files } of [doomed[0], doomed[899]].flatMap((entry) => entry ?? [])) {
        expect(await store.deliveries.listBySubmission(submission.id)).toEqual([]);
        for (const { id } of files) expect((await store.files.findAny(id))?.deletedAt).not.toBeNull();
      }
      expect(await store.files.listUnremoved(100)).toHaveLength(9);
      expect(await store.submissions.findIdempotent(place.form.id, 'k1')).toBeNull();
      await expect(store.commit([anEntry(place)])).rejects.toMatchObject({ rule: 'reference' });
      expect(
        await store.submissions.find(wholeAccount(neighbour.accountId), kept.submission.id),
      ).toMatchObject(kept.submission);
      expect(await store.submissions.findIdempotent(neighbour.form.id, 'k1')).toEqual(kept.idempotency);
      expect(await countIn(store, neighbour)).toBe(1);
    });

    it('removes a deleted project after its forms, and only it', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await store.forms.create(aForm(place.project.id));
      const sibling = await madePlace(store, { account: { ...anAccount(), id: place.accountId } });
      for (const target of [place, place, sibling]) await made(store, target);
      await store.projects.markDeleted(place.project.id, nextInstant());
      while (await store.purge.purgeDeletedStep(nextInstant()));
      expect(await store.accounts.usage(wholeAccount(place.accountId))).toEqual({
        projects: 1,
        forms: 1,
        submissions: 1,
      });
      // Gone for good: it cannot even get a new form.
      await expect(store.forms.create(aForm(place.project.id))).rejects.toMatchObject({ rule: 'reference' });
    });

    it('still cleans up after a commit that raced with the deletion of its form', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await store.forms.markDeleted(place.form.id, nextInstant());
      const late = anEntry(place, { files: 1 });
      await store.commit([late]);
      while (await store.purge.purgeDeletedStep(nextInstant()));
      expect((await store.files.findAny(late.files[0]?.id ?? ''))?.deletedAt).not.toBeNull();
      await expect(store.commit([anEntry(place)])).rejects.toMatchObject({ rule: 'reference' });
    });

    it('removes what is past its form’s retention and nothing younger, in bounded steps', async () => {
      const { store } = harness();
      const short = await madePlace(store, { form: { retentionDays: 7 } });
      const long = await madePlace(store, { form: { retentionDays: 30 } });
      const forever = await madePlace(store);
      const now = epoch + 100 * day;
      const aged = (place: Place, ageMs: number) =>
        anEntry(place, { createdAt: now - ageMs, files: 1, deliveries: 1 });
      const border = aged(short, 7 * day);
      const old = Array.from({ length: 450 }, (_, i) => aged(short, 7 * day + 1 + i));
      const longKept = aged(long, 29 * day);
      await store.commit([border, ...old, longKept, aged(long, 31 * day), aged(forever, 90 * day)]);
      let steps = 0;
      while (await store.purge.purgeExpiredStep(now)) steps += 1;
      expect(steps).toBeGreaterThan(2);
      expect(await listed(store, short)).toEqual([border.submission.id]);
      expect(await listed(store, long)).toEqual([longKept.submission.id]);
      expect(await Promise.all([short, long, forever].map((place) => countIn(store, place)))).toEqual([
        1, 1, 1,
      ]);
      expect((await store.files.findAny(old[0]?.files[0]?.id ?? ''))?.deletedAt).toBe(now);
      expect(await store.files.listUnremoved(1000)).toHaveLength(451);
    });

    it('removes files that their form keeps shorter than their submissions, and nothing else', async () => {
      const { store } = harness();
      const short = await madePlace(store, { form: { fileRetentionDays: 7 } });
      const forever = await madePlace(store);
      const now = epoch + 100 * day;
      const aged = (place: Place, ageMs: number) => anEntry(place, { createdAt: now - ageMs, files: 1 });
      const [young, kept] = [aged(short, 7 * day), aged(forever, 90 * day)];
      const old = Array.from({ length: 250 }, (_, i) => aged(short, 7 * day + 1 + i));
      await store.commit([young, kept, ...old]);
      let steps = 0;
      while (await store.purge.purgeExpiredFilesStep(now)) steps += 1;
      expect(steps).toBe(2);
      expect(await countIn(store, short)).toBe(251);
      const deletedAt = async (entry: typeof young) =>
        (await store.files.findAny(entry.files[0]?.id ?? ''))?.deletedAt;
      expect([await deletedAt(young), await deletedAt(kept)]).toEqual([null, null]);
      expect(await deletedAt(old[0] ?? young)).toBe(now);
      expect(await store.files.listUnremoved(1000)).toHaveLength(250);
    });
  });
}
