/** The fields of forms: stored by the commit that contains them, and learned afterwards if it did not store them. */
import { describe, expect, it } from 'vitest';
import { createFieldLearner } from '#inlet/domain/fields/learner.js';
import { allSeen, kindsIn, maxObservedNames } from '#inlet/model/observed-field.js';
import type { NewSubmission, Store } from '#inlet/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import { aFile, anEntry, madePlace, nextInstant, type Place } from './samples.js';

const withData = (place: Place, data: unknown): NewSubmission => {
  const entry = anEntry(place);
  return { ...entry, submission: { ...entry.submission, data: JSON.stringify(data) } };
};

const seen = (entry: NewSubmission): NewSubmission => ({
  ...entry,
  fields: allSeen(entry.submission, entry.files),
});

const kindsOf = async (store: Store, { form }: Place) =>
  (await store.fields.list(form.id)).map(({ name, kinds }) => [name, kindsIn(kinds).join(' ')]);

/** Learns the whole backlog, like the background job. */
async function learnAll(store: Store): Promise<void> {
  for (;;) {
    const backlog = await store.fields.backlog();
    if (backlog === null) return;
    const fields = backlog.submissions.flatMap((one) => allSeen(one, one.files));
    await store.fields.learn(fields, backlog.next);
  }
}

export function fieldsContract(make: MakeHarness): void {
  describe('fields', () => {
    const harness = shared(make);

    it('are stored with the submission, in the order in which they were first seen', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const first = seen(
        withData(place, { zip: '01234', age: '42', odd: 'a\u0000\ud800', 'n\u0000\ud800': 1 }),
      );
      const later = seen(withData(place, { more: 'x@example.com', age: 'old' }));
      await store.commit([later, first]);
      expect(await kindsOf(store, place)).toEqual([
        ['zip', 'text'],
        ['age', 'text number'],
        ['odd', 'text'],
        ['n\u0000\ud800', 'number'],
        ['more', 'email'],
      ]);
      const [age] = (await store.fields.list(place.form.id)).filter(({ name }) => name === 'age');
      expect(age).toMatchObject({
        firstSeenAt: first.submission.createdAt,
        lastSeenAt: later.submission.createdAt,
      });
    });

    it('are not stored by a commit that fails', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entry = seen(withData(place, { a: 1 }));
      await store.commit([entry]);
      const other = seen(withData(place, { b: 1 }));
      const twice = { ...other, submission: { ...other.submission, id: entry.submission.id } };
      await expect(store.commit([twice])).rejects.toThrow('unique');
      expect(await kindsOf(store, place)).toEqual([['a', 'number']]);
    });

    it('are stored for what is imported', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission } = withData(place, { note: 'hi' });
      await store.commit([{ imported: submission, files: [aFile(place, submission)] }]);
      expect(await kindsOf(store, place)).toEqual([
        ['note', 'text'],
        [aFile(place, submission).fieldName, 'file'],
      ]);
    });

    it('are learned from submissions that were stored without them, and that is remembered', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await store.fields.relearn();
      expect(await store.fields.isComplete()).toBe(false);
      const old = withData(place, { old: true });
      await store.commit([{ ...old, files: [aFile(place, old.submission)] }]);
      await learnAll(store);
      expect(await store.fields.isComplete()).toBe(true);
      expect(await store.fields.backlog()).toBeNull();
      expect(await kindsOf(store, place)).toEqual([
        ['old', 'boolean'],
        [aFile(place, old.submission).fieldName, 'file'],
      ]);
      await store.fields.relearn();
      expect(await store.fields.isComplete()).toBe(false);
    });

    it('are all learned at some time, although others arrive meanwhile', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await store.fields.relearn();
      await store.commit([withData(place, { old: true })]);
      let steps = 0;
      for (; !(await store.fields.isComplete()) && steps < 100; steps += 1) {
        const backlog = await store.fields.backlog();
        await store.commit([seen(withData(place, { meanwhile: steps }))]);
        const fields = backlog?.submissions.flatMap((one) => allSeen(one, one.files)) ?? [];
        await store.fields.learn(fields, backlog?.next ?? null);
      }
      expect(steps).toBeLessThan(100);
      expect((await kindsOf(store, place)).map(([name]) => name)).toEqual(['old', 'meanwhile']);
    });

    it('are written once: a learner knows them again after a restart, and after it had to forget them', async () => {
      const { store } = harness();
      const [a, b] = [await madePlace(store), await madePlace(store)];
      const read: string[] = [];
      const newLearner = () =>
        createFieldLearner({
          store: {
            list(formId) {
              read.push(formId);
              return store.fields.list(formId);
            },
          },
          maxNames: 3,
        });
      let learner = newLearner();
      const learn = async (place: Place, data: unknown): Promise<readonly string[]> => {
        const entry = withData(place, data);
        const fields = await learner.newIn(entry.submission, []);
        await store.commit([{ ...entry, files: [], fields }]);
        learner.stored(place.form.id, fields);
        return fields.map(({ name }) => name);
      };
      expect(await learn(a, { x: 1, y: 1 })).toEqual(['x', 'y']);
      expect(await learn(a, { x: 1, y: 1 })).toEqual([]);
      expect(read).toEqual([a.form.id]);
      // Four names are more than the learner may remember.
      expect(await learn(b, { p: 1, q: 1 })).toEqual(['p', 'q']);
      expect(await learn(a, { x: 1, y: 1 })).toEqual([]);
      expect(read).toEqual([a.form.id, b.form.id, a.form.id]);
      learner = newLearner();
      expect(await learn(a, { x: 1, y: 1 })).toEqual([]);
      expect(await learn(a, { y: 'text', z: 1 })).toEqual(['y', 'z']);
      expect(await kindsOf(store, a)).toEqual([
        ['x', 'number'],
        ['y', 'text number'],
        ['z', 'number'],
      ]);
    });

    it('go when the form is purged', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await store.commit([seen(withData(place, { a: 1 }))]);
      await store.forms.markDeleted(place.form.id, nextInstant());
      while (await store.purge.purgeDeletedStep(nextInstant()));
      expect(await store.fields.list(place.form.id)).toEqual([]);
    });

    it('are listed up to a limit', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const many = (letter: string) =>
        Object.fromEntries(Array.from({ length: maxObservedNames - 1 }, (_, i) => [`${letter}${i}`, 1]));
      await store.commit([seen(withData(place, many('a'))), seen(withData(place, many('b')))]);
      expect(await store.fields.list(place.form.id)).toHaveLength(maxObservedNames);
    });
  });
}
