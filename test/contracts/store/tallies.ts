import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { wholeAccount } from '#inlet/model/reach.js';
import { dayOf, dayRuns, firstQuarterHourOf, utcDays } from '#inlet/model/tally.js';
import type { Rejections } from '../../../src/model/rejections.js';
import { noFilter } from '../../../src/model/submission.js';
import type { Day, FormCount } from '../../../src/model/tally.js';
import type { Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import { aForm, anEntry, day as dayMs, epoch, madePlace, nextInstant } from './samples.js';

const today = dayOf(epoch);

const aCount = (
  formId: string,
  { day = today, ...some }: Partial<FormCount> & { day?: Day } = {},
): FormCount => ({
  formId,
  quarterHour: firstQuarterHourOf(day),
  kind: 'refused_origin',
  count: 1,
  ...some,
});

const anExample = (formId: string, some: Partial<Rejections> = {}): Rejections => {
  const at = some.at ?? nextInstant();
  return {
    id: newId(at),
    formId,
    reason: 'origin',
    at,
    seen: 'Origin: https://staging.example.com',
    ip: '203.0.113.7',
    userAgent: 'Browser 1.0',
    ...some,
  };
};

const daysOf = async (store: Store, formId: string, fromDay = today - 10) =>
  [...(await store.tallies.days({ kind: 'form', formId }, utcDays(fromDay, 40_000)))].sort(
    (a, b) => a.day - b.day || a.kind.localeCompare(b.kind),
  );

export function talliesContract(make: MakeHarness): void {
  describe('counts of a form', () => {
    const harness = shared(make);

    it('add up by day and kind', async () => {
      const { store, another } = harness();
      const { form } = await madePlace(store);
      await store.tallies.add([aCount(form.id, { count: 2 }), aCount(form.id, { day: today - 1 })], []);
      await store.tallies.add([aCount(form.id, { kind: 'refused_rate', count: 7 }), aCount(form.id)], []);
      const other = await another();
      await other.tallies.add([aCount(form.id, { count: 10 })], []);
      await other.close();
      expect(await daysOf(store, form.id)).toEqual([
        { day: today - 1, kind: 'refused_origin', count: 1 },
        { day: today, kind: 'refused_origin', count: 13 },
        { day: today, kind: 'refused_rate', count: 7 },
      ]);
      expect(await daysOf(store, form.id, today)).toHaveLength(2);
      expect(await daysOf(store, form.id, today + 1)).toEqual([]);
    });

    it('add up over the processes that count, each in its own slot', async () => {
      const { store, another } = harness();
      const place = await madePlace(store);
      const other = await another({ slot: 7 });
      try {
        for (const one of [store, other]) {
          await one.tallies.add([aCount(place.form.id, { count: 2 })], []);
          await one.commit([anEntry(place), anEntry(place)]);
        }
        const listed = await store.forms.find(wholeAccount(place.accountId), place.form.id);
        expect(listed?.submissionsCount).toBe(4);
        expect((await store.projects.list(wholeAccount(place.accountId), null))[0]).toMatchObject({
          submissionsCount: 4,
        });
        expect(await store.accounts.usage(wholeAccount(place.accountId))).toMatchObject({ submissions: 4 });
        const counts = (await daysOf(store, place.form.id, 0)).map(({ kind, count }) => [kind, count]);
        expect(Object.fromEntries(counts)).toEqual({ received: 4, refused_origin: 4 });
        const byForm = await store.tallies.byForm(wholeAccount(place.accountId), 0, ['received']);
        expect(byForm).toEqual([{ formId: place.form.id, kind: 'received', count: 4 }]);
        const scope = { kind: 'form', formId: place.form.id } as const;
        const { items } = await store.submissions.list(scope, noFilter, { limit: 9, after: null });
        const ids = items.map(({ id }) => id);
        // Concurrent deletes count each submission once.
        await Promise.all(
          [store, other].map((one) =>
            one.submissions.deleteSome(wholeAccount(place.accountId), ids.slice(1), epoch),
          ),
        );
        expect((await other.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
          1,
        );
      } finally {
        await other.close();
      }
    });

    it('add up over the forms of a project and of an account, and of no other', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const second = aForm(place.project.id);
      await store.forms.create(second);
      const outsider = await madePlace(store);
      const forms = [place.form.id, second.id, outsider.form.id];
      await store.tallies.add(
        forms.map((formId) => aCount(formId, { count: 5 })),
        [],
      );
      const expected = [{ day: today, kind: 'refused_origin', count: 10 }];
      const scopes = [
        { kind: 'project', projectId: place.project.id },
        { kind: 'account', reach: wholeAccount(place.accountId) },
      ] as const;
      for (const scope of scopes)
        expect(await store.tallies.days(scope, utcDays(today, 1))).toEqual(expected);
      await store.forms.markDeleted(second.id, nextInstant());
      for (const scope of scopes) {
        expect(await store.tallies.days(scope, utcDays(today, 1))).toEqual([{ ...expected[0], count: 5 }]);
      }
    });

    it('are given by the days of any time zone, of whatever length', async () => {
      const { store } = harness();
      const { form } = await madePlace(store);
      const start = firstQuarterHourOf(today);
      const quarterMs = 900_000;
      // A day of 24 hours that starts at half past two, one of 25, one of 23.
      const places = [10, 10 + 96, 10 + 96 + 100, 10 + 96 + 100 + 92];
      const runs = dayRuns(
        today,
        places.map((place) => (start + place) * quarterMs),
      );
      expect(runs.map(({ days }) => days)).toEqual([1, 1, 1]);
      const counted = [9, 10, 105, 106, 205, 206, 297, 298].map((place, index) =>
        aCount(form.id, { quarterHour: start + place, count: 10 ** index }),
      );
      await store.tallies.add(counted, []);
      const found = await store.tallies.days({ kind: 'form', formId: form.id }, runs);
      expect([...found].sort((a, b) => a.day - b.day).map(({ day, count }) => [day - today, count])).toEqual([
        [0, 110],
        [1, 11_000],
        [2, 1_100_000],
      ]);
    });

    it('become counts of whole days step by step, and nothing is lost or counted twice', async () => {
      const { store } = harness();
      const { form } = await madePlace(store);
      const counted = Array.from({ length: 600 }, (_, n) =>
        aCount(form.id, { quarterHour: firstQuarterHourOf(today - 100) + n }),
      );
      await store.tallies.add([...counted, aCount(form.id)], []);
      const before = await daysOf(store, form.id, today - 200);
      let steps = 0;
      while (await store.purge.foldTalliesStep(today - 62)) {
        steps += 1;
        expect(await daysOf(store, form.id, today - 200)).toEqual(before);
      }
      expect(steps).toBeGreaterThanOrEqual(2);
      // What arrives late for a folded day is added.
      await store.tallies.add([aCount(form.id, { quarterHour: firstQuarterHourOf(today - 100) })], []);
      await store.purge.foldTalliesStep(today - 62);
      expect(await daysOf(store, form.id, today - 200)).toEqual(
        before.map((one) => (one.day === today - 100 ? { ...one, count: one.count + 1 } : one)),
      );
      // A whole-day count belongs to its date, wherever that day begins.
      const shifted = dayRuns(
        today - 100,
        [0, 1].map((n) => (firstQuarterHourOf(today - 100 + n) + 22) * 900_000),
      );
      const [found] = await store.tallies.days({ kind: 'form', formId: form.id }, shifted);
      expect(found).toEqual({ day: today - 100, kind: 'refused_origin', count: 97 });
    });

    it('of a form that is gone are left out, and the others are kept', async () => {
      const { store } = harness();
      const { form } = await madePlace(store);
      const gone = await madePlace(store);
      await store.forms.markDeleted(gone.form.id, nextInstant());
      const unknown = newId(epoch);
      await store.tallies.add(
        [gone.form.id, unknown, form.id].map((id) => aCount(id)),
        [gone.form.id, unknown, form.id].map((id) => anExample(id)),
      );
      for (const id of [gone.form.id, unknown]) {
        expect(await daysOf(store, id)).toEqual([]);
        expect(await store.tallies.examples(id, 0)).toEqual([]);
      }
      expect(await daysOf(store, form.id)).toHaveLength(1);
      expect(await store.tallies.examples(form.id, 0)).toHaveLength(1);
    });

    it('are added whole or not at all', async () => {
      const { store } = harness();
      const { form } = await madePlace(store);
      const impossible = anExample(form.id, { seen: null as unknown as string });
      const work = store.tallies.add([aCount(form.id)], [anExample(form.id), impossible]);
      await expect(work).rejects.toThrow();
      expect(await daysOf(store, form.id)).toEqual([]);
      expect(await store.tallies.examples(form.id, 0)).toEqual([]);
    });
  });

  describe('examples of who was rejected', () => {
    const harness = shared(make);

    it('come back as they were, newest first, from a time on', async () => {
      const { store } = harness();
      const { form } = await madePlace(store);
      const examples = [
        anExample(form.id, { seen: `Origin: "quoted" 'and' \\x1b 日本 😀` }),
        anExample(form.id, { reason: 'rate' }),
      ];
      await store.tallies.add([], examples);
      expect(await store.tallies.examples(form.id, 0)).toEqual(examples.toReversed());
      expect(await store.tallies.examples(form.id, examples[1]?.at ?? 0)).toEqual([examples[1]]);
    });

    it('may be sent again, when nobody heard that they were written, and count once', async () => {
      const { store } = harness();
      const { form } = await madePlace(store);
      const [written, later] = [anExample(form.id), anExample(form.id)];
      await store.tallies.add([], [written]);
      await store.tallies.add([], [written, later]);
      expect(await store.tallies.examples(form.id, 0)).toEqual([later, written]);
    });

    it('are the newest five of each reason', async () => {
      const { store } = harness();
      const { form } = await madePlace(store);
      const first = Array.from({ length: 4 }, () => anExample(form.id));
      const rate = anExample(form.id, { reason: 'rate' });
      const later = Array.from({ length: 3 }, () => anExample(form.id));
      await store.tallies.add([], [...first, rate]);
      await store.tallies.add([], later);
      const kept = (await store.tallies.examples(form.id, 0)).map(({ id }) => id);
      expect(kept).toEqual([...first.slice(2), rate, ...later].map(({ id }) => id).toReversed());
    });
  });

  describe('old tallies', () => {
    const harness = fresh(make);

    it('are removed step by step: counts by their day, examples by their time', async () => {
      const { store } = harness();
      const { form } = await madePlace(store);
      const old = Array.from({ length: 450 }, (_, n) => aCount(form.id, { day: today - 500 - n }));
      await store.tallies.add([...old, aCount(form.id, { day: today - 400 })], []);
      const [gone, kept] = [anExample(form.id, { at: epoch }), anExample(form.id, { at: epoch + 1 })];
      await store.tallies.add([], [gone, kept]);
      let steps = 0;
      while (await store.purge.purgeTalliesStep(today - 400, epoch + 1)) steps += 1;
      expect(steps).toBeGreaterThan(1);
      expect(await daysOf(store, form.id, 0)).toEqual([
        { day: today - 400, kind: 'refused_origin', count: 1 },
      ]);
      expect(await store.tallies.examples(form.id, 0)).toEqual([kept]);
    });

    it('go with their form', async () => {
      const { store, storedTexts } = harness();
      const { form } = await madePlace(store);
      const other = await madePlace(store);
      for (const { id } of [form, other.form]) {
        await store.tallies.add([aCount(id)], [anExample(id, { seen: `seen at ${id}` })]);
      }
      await store.forms.markDeleted(form.id, epoch);
      while (await store.purge.purgeDeletedStep(epoch + dayMs));
      const texts = await storedTexts();
      expect(texts.filter((text) => text.includes(form.id))).toEqual([]);
      expect(texts).toContain(`seen at ${other.form.id}`);
      expect(await daysOf(store, other.form.id)).toHaveLength(1);
    });
  });
}
