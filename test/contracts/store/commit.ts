import { describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import { utcDays } from '#inlet/model/tally.js';
import { StoreConflict } from '#inlet/ports/store.js';
import { noFilter } from '../../../src/model/submission.js';
import type { NewSubmission, Store } from '../../../src/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import { aForm, anEntry, day, made, madePlace, nextInstant, type Place } from './samples.js';

const wholePage = { limit: 10_000, after: null };

const idsOf = async (store: Store, place: Place): Promise<readonly string[]> =>
  (await store.submissions.list({ kind: 'form', formId: place.form.id }, noFilter, wholePage)).items.map(
    ({ id }) => id,
  );

/** Texts that a database, a driver or a codec might want to tidy up. */
const stubbornData = [
  '{"b":1,"a":2,"10":3,"9":4}',
  '{ "spaces" :  "kept" }',
  '{"n":1.0,"big":12345678901234567890,"tiny":1e-400,"exp":1E5,"minus":-0}',
  '{"twice":1,"twice":2}',
  '{"__proto__":"a","constructor":"b","":"c"}',
  '{"null":"\\u0000","lone":"\\ud800","line":"\\u2028","slash":"\\/"}',
  '{"emoji":"👩‍👩‍👧‍👦","rtl":"\u202eabc","bom":"\ufeff","nfd":"e\u0301"}',
  '{"quote":"\'; DROP TABLE submissions; --"}',
  '{"nested":{"list":[1,[2,{"x":null}],true]}}',
  `{"long":"${'ä'.repeat(300_000)}"}`,
];

export function commitContract(make: MakeHarness): void {
  describe('commit', () => {
    const harness = shared(make);

    it('keeps a submission whole: fields, files, deliveries, the remembered answer', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entry = anEntry(place, { files: 3, deliveries: 2, key: 'order-1' });
      await store.commit([entry]);
      const { submission, files, deliveries, idempotency } = entry;
      expect(await store.submissions.find(wholeAccount(place.accountId), submission.id)).toEqual({
        ...submission,
        files,
        deliveryState: 'pending',
      });
      for (const file of files) expect(await store.files.findAny(file.id)).toEqual(file);
      const kept = await store.deliveries.listBySubmission(submission.id);
      expect(kept).toEqual(deliveries.map((delivery) => ({ ...delivery, attempts: [] })));
      expect(await store.submissions.findIdempotent(place.form.id, 'order-1')).toEqual(idempotency);
    });

    it('keeps the data byte for byte', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = stubbornData.map((data) => anEntry(place, { data }));
      await store.commit(entries);
      for (const { submission } of entries) {
        const found = await store.submissions.find(wholeAccount(place.accountId), submission.id);
        expect(found?.data === submission.data, submission.data.slice(0, 80)).toBe(true);
      }
      // Stored data must also be indexable without errors.
      while (await store.indexStep());
      expect(await store.indexStep()).toBe(false);
    });

    it('counts in the form, its project and its account', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await store.commit([anEntry(place), anEntry(place)]);
      await made(store, place);
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
        3,
      );
      expect((await store.projects.list(wholeAccount(place.accountId), null))[0]?.submissionsCount).toBe(3);
    });

    it('takes a batch over many forms and accounts', async () => {
      const { store } = harness();
      const places = await Promise.all(Array.from({ length: 5 }, () => madePlace(store)));
      const entries = Array.from({ length: 250 }, (_, i) =>
        anEntry(places[i % 5] as Place, { files: i % 3 }),
      );
      await store.commit(entries);
      for (const place of places) {
        const wanted = entries.filter(({ submission }) => submission.formId === place.form.id);
        expect([...(await idsOf(store, place))].sort()).toEqual(wanted.map((e) => e.submission.id).sort());
        expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
          50,
        );
      }
    });

    it('does nothing for an empty batch', async () => {
      await expect(harness().store.commit([])).resolves.toBeUndefined();
    });

    const nothingOf = async (
      store: Store,
      place: Place,
      entries: readonly NewSubmission[],
    ): Promise<void> => {
      expect(await idsOf(store, place)).toEqual([]);
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
        0,
      );
      for (const { submission, files, idempotency } of entries) {
        expect(await store.deliveries.listBySubmission(submission.id)).toEqual([]);
        for (const file of files) expect(await store.files.findAny(file.id)).toBeNull();
        const blobKeys = files.map(({ blobKey }) => blobKey);
        expect((await store.files.referenced(blobKeys)).size).toBe(0);
        if (idempotency) {
          expect(await store.submissions.findIdempotent(place.form.id, idempotency.key)).toBeNull();
        }
      }
    };

    it('keeps what was imported like all others, but does not count it as received', async () => {
      const { store } = harness();
      const [place, other] = [await madePlace(store), await madePlace(store)];
      const [one, two, three] = [1, 2, 0].map((files) => anEntry(place, { files }));
      if (!one || !two || !three) throw new Error('no entries');
      const imported = [one, two].map(({ submission, files }) => ({ imported: submission, files }));
      await store.commit(imported);
      expect(await store.submissions.find(wholeAccount(place.accountId), two.submission.id)).toEqual({
        ...two.submission,
        files: two.files,
        deliveryState: null,
      });
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
        2,
      );
      expect(await store.tallies.days({ kind: 'form', formId: place.form.id }, utcDays(0, 40_000))).toEqual(
        [],
      );
      expect(await store.deliveries.listBySubmission(one.submission.id)).toEqual([]);

      const ids = [one, two, three].map(({ submission }) => submission.id);
      expect(await store.submissions.existing(place.form.id, ids)).toEqual(new Set(ids.slice(0, 2)));
      expect(await store.submissions.existing(other.form.id, ids)).toEqual(new Set());
      expect(await store.submissions.existing(place.form.id, [])).toEqual(new Set());

      const again = store.commit([{ imported: three.submission, files: [] }, ...imported]);
      await expect(again).rejects.toMatchObject({ rule: 'unique' });
      expect(await idsOf(store, place)).toHaveLength(2);
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
        2,
      );
    });

    /** A batch in which only the entry in the middle is invalid. */
    const around = (place: Place, bad: NewSubmission): readonly NewSubmission[] => {
      const wish = { files: 2, deliveries: 1 };
      return [anEntry(place, { ...wish, key: 'before' }), bad, anEntry(place, { ...wish, key: 'after' })];
    };

    it('writes nothing of a batch when one form is gone for good', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const gone = { ...place, form: aForm(place.project.id) };
      const batch = around(place, anEntry(gone, { files: 1, key: 'x' }));
      const refused = store.commit(batch);
      await expect(refused).rejects.toBeInstanceOf(StoreConflict);
      await expect(refused).rejects.toMatchObject({ rule: 'reference' });
      await nothingOf(store, place, batch);
    });

    it('writes nothing of a batch when one idempotency key is taken', async () => {
      const { store } = harness();
      const [place, taken] = [await madePlace(store), await madePlace(store)];
      const first = await made(store, taken, { key: 'order-1' });
      const batch = around(place, anEntry(taken, { key: 'order-1', files: 1 }));
      const refused = store.commit(batch);
      await expect(refused).rejects.toBeInstanceOf(StoreConflict);
      await expect(refused).rejects.toMatchObject({ rule: 'unique' });
      await nothingOf(store, place, batch);
      expect(await idsOf(store, taken)).toEqual([first.submission.id]);
      expect(await store.submissions.findIdempotent(taken.form.id, 'order-1')).toEqual(first.idempotency);
    });

    it('writes nothing of a batch that carries the same idempotency key twice', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const batch = [anEntry(place, { key: 'same' }), anEntry(place, { key: 'same' })];
      await expect(store.commit(batch)).rejects.toMatchObject({ rule: 'unique' });
      await nothingOf(store, place, batch);
    });

    it('writes nothing of a batch when one blob is taken already', async () => {
      const { store } = harness();
      const [place, other] = [await madePlace(store), await madePlace(store)];
      const first = await made(store, other, { files: 1 });
      const bad = anEntry(place, { files: 1 });
      const twin = {
        ...bad,
        files: bad.files.map((f) => ({ ...f, blobKey: first.files[0]?.blobKey ?? '' })),
      };
      await expect(store.commit(around(place, twin))).rejects.toMatchObject({ rule: 'unique' });
      expect(await idsOf(store, place)).toEqual([]);
    });

    it('takes a good batch right after a refused one', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const gone = anEntry({ ...place, form: aForm(place.project.id) });
      await expect(store.commit([gone])).rejects.toMatchObject({ rule: 'reference' });
      const { submission } = await made(store, place);
      expect(await idsOf(store, place)).toEqual([submission.id]);
    });

    it('lets exactly one of many with the same idempotency key through', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = Array.from({ length: 20 }, () => anEntry(place, { key: 'race' }));
      const results = await Promise.allSettled(entries.map((entry) => store.commit([entry])));
      const won = entries.filter((_, index) => results[index]?.status === 'fulfilled');
      expect(won).toHaveLength(1);
      expect(await idsOf(store, place)).toEqual([won[0]?.submission.id]);
      expect(await store.submissions.findIdempotent(place.form.id, 'race')).toEqual(won[0]?.idempotency);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ rule: 'unique' });
      }
    });

    it('keeps idempotency keys of forms apart, exactly as written', async () => {
      const { store } = harness();
      const [place, other] = [await madePlace(store), await madePlace(store)];
      for (const key of ['A', 'a', 'a%', 'a_']) await made(store, place, { key });
      await made(store, other, { key: 'A' });
      expect(await store.submissions.findIdempotent(place.form.id, 'a%')).toMatchObject({ key: 'a%' });
      expect(await store.submissions.findIdempotent(other.form.id, 'a')).toBeNull();
    });

    it('frees an expired idempotency key, by itself or with all others', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const now = nextInstant() + 10 * day;
      await made(store, place, { key: 'dropped', expiresAt: now });
      await made(store, place, { key: 'purged', expiresAt: now });
      await made(store, place, { key: 'valid', expiresAt: now + 1 });
      const isKept = async (key: string) =>
        (await store.submissions.findIdempotent(place.form.id, key)) !== null;
      await store.submissions.dropExpiredIdempotent(place.form.id, 'dropped', now - 1);
      await store.submissions.dropExpiredIdempotent(place.form.id, 'valid', now);
      expect([await isKept('dropped'), await isKept('valid')]).toEqual([true, true]);
      await store.submissions.dropExpiredIdempotent(place.form.id, 'dropped', now);
      expect([await isKept('dropped'), await isKept('purged')]).toEqual([false, true]);
      expect(await store.purge.purgeIdempotentStep(now)).toBe(true);
      expect(await store.purge.purgeIdempotentStep(now)).toBe(false);
      expect([await isKept('purged'), await isKept('valid')]).toEqual([false, true]);
      await made(store, place, { key: 'dropped' });
      await made(store, place, { key: 'purged' });
      await expect(made(store, place, { key: 'valid' })).rejects.toMatchObject({ rule: 'unique' });
    });

    it('knows since when the oldest delivery has waited', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const long = Date.UTC(2001, 0, 1);
      await made(store, place, { deliveries: 1, createdAt: long + 5 });
      const oldest = await made(store, place, { deliveries: 2, createdAt: long });
      expect(await store.deliveries.oldestDueAt()).toBe(long);
      await store.submissions.delete(oldest.submission.id, nextInstant());
      expect(await store.deliveries.oldestDueAt()).toBe(long + 5);
    });
  });
}
