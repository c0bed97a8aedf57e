/**
 * Searches among many submissions: whether a store finds its hits through the index or row by row, they are the same hits in the same
 * order. Compared with a plain scan of every submission.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { noFilter, type SubmissionFilter } from '../../../src/model/submission.js';
import type { NewSubmission, OwnerScope } from '../../../src/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import { anAccount, anEntry, madePlace, nextInstant, type Place } from './samples.js';

const rows = 1_400;

/** Some words are in every row, some in many, some in few, some only among the oldest. In each row, one begins with `own`. */
const wordsOf = (row: number): readonly string[] => [
  'every',
  `own${row}`,
  row % 2 ? 'odd' : 'even',
  ...(row % 9 === 0 ? ['ninth'] : []),
  ...(row % 400 === 7 ? ['rarely'] : []),
  ...(row < 300 ? ['formerly'] : []),
];

const searches = [
  ['every'],
  ['own'],
  ['own1'],
  ['odd'],
  ['ninth'],
  ['rarely'],
  ['formerly'],
  ['every', 'rarely'],
  ['odd', 'ninth'],
  ['odd', 'even'],
  ['every', 'odd', 'formerly'],
  ['every', 'absent'],
];

export function searchingContract(make: MakeHarness): void {
  describe('searching among many submissions', () => {
    const harness = shared(make);
    let even: Place;
    let odd: Place;
    let all: readonly NewSubmission[];

    beforeAll(async () => {
      const { store } = harness();
      even = await madePlace(store);
      odd = await madePlace(store, {
        account: { ...anAccount(), id: even.accountId },
        project: even.project,
      });
      // Every fifth is older than those around it, as after a clock was set back.
      all = Array.from({ length: rows }, (_, row) =>
        anEntry(row % 3 === 0 ? odd : even, {
          data: JSON.stringify({ text: wordsOf(row).join(' ') }),
          createdAt: nextInstant() - (row % 5 === 0 ? 100 : 0),
        }),
      );
      for (let first = 0; first < rows; first += 200) await store.commit(all.slice(first, first + 200));
      while (await store.indexStep());
    });

    const scopes = (): readonly OwnerScope[] => [
      { kind: 'form', formId: even.form.id },
      { kind: 'form', formId: odd.form.id },
      { kind: 'project', projectId: even.project.id },
    ];

    const expected = (scope: OwnerScope, { words, since, until }: SubmissionFilter) =>
      all
        .map(({ submission }, row) => ({ ...submission, words: wordsOf(row) }))
        .filter((one) => scope.kind === 'project' || one.formId === scope.formId)
        .filter((one) => one.createdAt >= (since ?? 0) && one.createdAt < (until ?? Number.POSITIVE_INFINITY))
        .filter((one) => words.every((word) => one.words.some((has) => has.startsWith(word))))
        .map((one) => one.id)
        .reverse();

    const walk = async (scope: OwnerScope, filter: SubmissionFilter, limit: number) => {
      const found: string[] = [];
      let after: string | null = null;
      do {
        const page = await harness().store.submissions.list(scope, filter, { limit, after });
        found.push(...page.items.map(({ id }) => id));
        after = page.next;
      } while (after !== null && found.length <= rows);
      return found;
    };

    it.each(searches.map((words) => [words.join(' '), words] as const))('finds %s', async (_, words) => {
      for (const scope of scopes()) {
        const filter = { ...noFilter, words };
        expect(await walk(scope, filter, 100)).toEqual(expected(scope, filter));
        const first = await harness().store.submissions.list(scope, filter, { limit: 25, after: null });
        expect(first.items.map(({ id }) => id)).toEqual(expected(scope, filter).slice(0, 25));
      }
    });

    it.each(searches.map((words) => [words.join(' '), words] as const))(
      'finds %s in a range of time',
      async (_, words) => {
        const at = (row: number): number => all[row]?.submission.createdAt ?? 0;
        for (const scope of scopes()) {
          for (const range of [
            { since: at(700), until: at(901) },
            { since: at(1_390), until: null },
            { since: null, until: at(33) },
            { since: at(900), until: at(900) },
          ]) {
            const filter = { ...noFilter, words, ...range };
            expect(await walk(scope, filter, 60)).toEqual(expected(scope, filter));
          }
        }
      },
    );

    it('finds large submissions among small ones, by words that are far apart in them', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const filling = Array.from({ length: 9_000 }, (_, i) => `f${i}`).join(' ');
      const entries = Array.from({ length: 30 }, (_, row) =>
        anEntry(place, {
          data: JSON.stringify({
            a: `every begin${row}`,
            b: row % 3 ? 'small' : filling,
            c: `end${row % 6}`,
          }),
        }),
      );
      await store.commit(entries);
      while (await store.indexStep());
      const ids = (wanted: (row: number) => boolean): readonly string[] =>
        entries.flatMap(({ submission }, row) => (wanted(row) ? [submission.id] : [])).reverse();
      const scope = { kind: 'form', formId: place.form.id } as const;
      for (const [words, wanted] of [
        [['every'], () => true],
        [['begin9'], (row: number) => row === 9],
        [['begin1', 'end3'], (row: number) => row === 15],
        [['every', 'end3'], (row: number) => row % 6 === 3],
        [['end1'], (row: number) => row % 6 === 1],
        [['f1', 'f8999', 'end0'], (row: number) => row % 6 === 0],
        [['f1', 'small'], () => false],
      ] as const) {
        for (const limit of [1, 4, 100]) {
          expect(await walk(scope, { ...noFilter, words }, limit)).toEqual(ids(wanted));
        }
      }
      const since = entries[20]?.submission.createdAt ?? 0;
      expect(await walk(scope, { ...noFilter, words: ['end3'], since }, 3)).toEqual(
        ids((row) => row > 20 && row % 6 === 3),
      );
    });

    it('finds a word in rows that are too large to be looked at one by one', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = Array.from({ length: 8 }, (_, row) =>
        anEntry(place, {
          data: JSON.stringify({ text: `large ${row % 2 ? 'odd' : 'even'} ${'x'.repeat(100_000)}` }),
        }),
      );
      await store.commit(entries);
      while (await store.indexStep());
      const filter = { ...noFilter, words: ['odd'] };
      const { items } = await store.submissions.list({ kind: 'form', formId: place.form.id }, filter, {
        limit: 25,
        after: null,
      });
      expect(items.map(({ id }) => id)).toEqual([7, 5, 3, 1].map((row) => entries[row]?.submission.id));
    });
  });
}
