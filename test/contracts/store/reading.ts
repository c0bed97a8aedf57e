import { describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import { noFilter, type SubmissionFilter } from '../../../src/model/submission.js';
import type { NewSubmission, Store, SubmissionScope } from '../../../src/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import {
  anAccount,
  anEntry,
  epoch,
  made,
  madeAccount,
  madePlace,
  nextInstant,
  type Place,
} from './samples.js';

const ofForm = (place: Place): SubmissionScope => ({ kind: 'form', formId: place.form.id });
const ofProject = (place: Place): SubmissionScope => ({ kind: 'project', projectId: place.project.id });
const filter = (some: Partial<SubmissionFilter>): SubmissionFilter => ({ ...noFilter, ...some });
const newestFirst = (entries: readonly NewSubmission[]): readonly string[] =>
  entries.map(({ submission }) => submission.id).reverse();

async function idsOf(store: Store, scope: SubmissionScope, some: Partial<SubmissionFilter> = {}) {
  const page = await store.submissions.list(scope, filter(some), { limit: 1000, after: null });
  return page.items.map(({ id }) => id);
}

/** Every page to the end. `between` runs after each. */
async function pagesOf(
  store: Store,
  scope: SubmissionScope,
  some: Partial<SubmissionFilter>,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let after: string | null = null;
  do {
    const page = await store.submissions.list(scope, filter(some), { limit, after });
    pages.push(page.items.map(({ id }) => id));
    after = page.next;
    await between();
  } while (after !== null && pages.length < 100);
  return pages;
}

const indexed = async (store: Store): Promise<void> => {
  while (await store.indexStep());
};

/** Ten submissions in one project: even ones in one form, odd ones in its sibling. */
async function tenInTwoForms(store: Store, data: (index: number) => string) {
  const even = await madePlace(store);
  const odd = await madePlace(store, {
    account: { ...anAccount(), id: even.accountId },
    project: even.project,
  });
  const all = Array.from({ length: 10 }, (_, i) => anEntry(i % 2 ? odd : even, { data: data(i) }));
  for (const entry of all) await store.commit([entry]);
  return { even, odd, all, evens: all.filter((_, i) => i % 2 === 0), odds: all.filter((_, i) => i % 2) };
}

export function readingContract(make: MakeHarness): void {
  describe('reading submissions', () => {
    const harness = shared(make);

    it('continues behind any id within any limits of time', async () => {
      const { store } = harness();
      const { even, evens } = await tenInTwoForms(store, (i) => `{"i":${i}}`);
      const all = evens.map(({ submission: { id, createdAt } }) => ({ id, createdAt }));
      const scope = ofForm(even);
      for (const after of all.map(({ id }) => id))
        for (const limit of all.map(({ createdAt }) => createdAt)) {
          const page = { limit: 1000, after };
          const older = await store.submissions.list(scope, filter({ until: limit }), page);
          const isOlder = (one: (typeof all)[number]) => one.id < after && one.createdAt < limit;
          const expected = all.filter(isOlder).map(({ id }) => id);
          expect(older.items.map(({ id }) => id)).toEqual(expected.toReversed());
          const data = await store.submissions.listData(scope, filter({ until: limit }), page);
          expect(data.rows.map(({ id }) => id)).toEqual(expected.toReversed());
          const newer = await store.submissions.list(
            scope,
            filter({ since: limit, isOldestFirst: true }),
            page,
          );
          const isNewer = (one: (typeof all)[number]) => one.id > after && one.createdAt >= limit;
          expect(newer.items.map(({ id }) => id)).toEqual(all.filter(isNewer).map(({ id }) => id));
        }
    });

    it('never shows a submission to another account', async () => {
      const { store } = harness();
      const { submission } = await made(store, await madePlace(store));
      expect(
        await store.submissions.find(wholeAccount((await madeAccount(store)).id), submission.id),
      ).toBeNull();
    });

    it('lists a form or a whole project, newest first', async () => {
      const { store } = harness();
      const { even, odd, all, evens, odds } = await tenInTwoForms(store, () => '{}');
      expect(await idsOf(store, ofForm(even))).toEqual(newestFirst(evens));
      expect(await idsOf(store, ofForm(odd))).toEqual(newestFirst(odds));
      expect(await idsOf(store, ofProject(even))).toEqual(newestFirst(all));
    });

    it('lists several projects together, by time, by words and page by page, and no others', async () => {
      const { store } = harness();
      const [one, other, third] = [await madePlace(store), await madePlace(store), await madePlace(store)];
      const all = Array.from({ length: 9 }, (_, i) =>
        anEntry([one, other, third][i % 3] ?? one, { data: '{"a":"sought"}' }),
      );
      for (const entry of all) await store.commit([entry]);
      await indexed(store);
      const own = all.filter((_, i) => i % 3 !== 2);
      const scope = { kind: 'projects', projectIds: [other.project.id, one.project.id] } as const;
      expect(await idsOf(store, scope)).toEqual(newestFirst(own));
      expect(await idsOf(store, scope, { isOldestFirst: true })).toEqual(newestFirst(own).toReversed());
      expect(await idsOf(store, scope, { words: ['sou'] })).toEqual(newestFirst(own));
      expect(await idsOf(store, scope, { words: ['sou'], since: own[2]?.submission.createdAt ?? 0 })).toEqual(
        newestFirst(own.slice(2)),
      );
      expect((await pagesOf(store, scope, {}, 4)).map((page) => page.length)).toEqual([4, 2]);
      expect(await idsOf(store, scope, { folder: 'archive' })).toEqual([]);
      const { rows } = await store.submissions.listData(scope, noFilter, { limit: 100, after: null });
      expect(rows.map(({ id }) => id)).toEqual(newestFirst(own));
    });

    it('lists the oldest first without gap or repetition', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = Array.from({ length: 7 }, () => anEntry(place));
      await store.commit(entries);
      const pages = await pagesOf(store, ofForm(place), { isOldestFirst: true }, 3);
      expect(pages.flat()).toEqual(entries.map(({ submission }) => submission.id));
      expect(pages).toHaveLength(3);
    });

    it('finds some by their ids, in that order, with their files, and none of another account', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const [first, second] = [await made(store, place, { files: 1 }), await made(store, place)];
      const foreign = await made(store, await madePlace(store));
      const ids = [first, foreign, second].map(({ submission }) => submission.id);
      const found = await store.submissions.findSome(wholeAccount(place.accountId), [
        ...ids,
        '01890000-0000-7000-8000-000000000000',
      ]);
      expect(found.map(({ id, files }) => [id, files.length])).toEqual([
        [first.submission.id, 1],
        [second.submission.id, 0],
      ]);
      expect(
        (await store.submissions.findSome(wholeAccount(place.accountId), ids.toReversed())).map(
          ({ id }) => id,
        ),
      ).toEqual([second.submission.id, first.submission.id]);
      expect(await store.submissions.findSome(wholeAccount(place.accountId), [])).toEqual([]);
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.submissions.findSome(wholeAccount(place.accountId), ids)).toEqual([]);
    });

    it('orders by time although a batch commits in another order', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = Array.from({ length: 6 }, () => anEntry(place));
      await store.commit(entries.slice(3));
      await store.commit(entries.slice(0, 3).reverse());
      expect(await idsOf(store, ofForm(place))).toEqual(newestFirst(entries));
    });

    it('lists each submission with its own living files', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const [first, second] = [
        await made(store, place, { files: 2 }),
        await made(store, place, { files: 3 }),
      ];
      const bare = await made(store, place);
      const gone = second.files[1];
      if (gone) await store.files.markDeleted(gone.id, nextInstant());
      const { items } = await store.submissions.list(ofForm(place), noFilter, { limit: 10, after: null });
      expect(items.map(({ id, files }) => [id, files.map((file) => file.id)])).toEqual([
        [bare.submission.id, []],
        [second.submission.id, [second.files[0]?.id, second.files[2]?.id]],
        [first.submission.id, first.files.map((file) => file.id)],
      ]);
    });

    it('pages without gap or repetition while newer ones arrive and older ones go', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = Array.from({ length: 23 }, () => anEntry(place));
      await store.commit(entries);
      let newer = 0;
      const pages = await pagesOf(store, ofForm(place), {}, 5, async () => {
        newer += 1;
        await made(store, place, { createdAt: epoch + 1_000_000_000 + newer });
        // Already shown: the position of the next page must not depend on it.
        const shown = entries.at(-newer);
        if (shown) await store.submissions.delete(shown.submission.id, nextInstant());
      });
      expect(pages.map((page) => page.length)).toEqual([5, 5, 5, 5, 3]);
      expect(pages.flat()).toEqual(newestFirst(entries));
    });

    it('ends the pages also when the last one is full', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      expect(await pagesOf(store, ofForm(place), {}, 5)).toEqual([[]]);
      const entries = Array.from({ length: 10 }, () => anEntry(place));
      await store.commit(entries);
      const pages = await pagesOf(store, ofForm(place), {}, 5);
      expect(pages.map((page) => page.length)).toEqual([5, 5]);
    });

    it('filters by time: since is included, until is not', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const at = (ms: number) => anEntry(place, { createdAt: epoch + ms, data: '{"w":"time"}' });
      const [a, b, c] = [at(1000), at(2000), at(3000)];
      await store.commit([a, b, c]);
      await indexed(store);
      for (const words of [[], ['time']]) {
        const list = (some: Partial<SubmissionFilter>) => idsOf(store, ofForm(place), { words, ...some });
        expect(await list({ since: epoch + 2000 })).toEqual(newestFirst([b, c]));
        expect(await list({ since: epoch + 2001 })).toEqual(newestFirst([c]));
        expect(await list({ until: epoch + 2000 })).toEqual(newestFirst([a]));
        expect(await list({ until: epoch + 2001 })).toEqual(newestFirst([a, b]));
        expect(await list({ since: epoch + 2000, until: epoch + 3000 })).toEqual(newestFirst([b]));
        expect(await list({ since: epoch + 3001 })).toEqual([]);
      }
    });

    it('filters by the state of the webhook', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const waiting = [
        await made(store, place, { deliveries: 2 }),
        await made(store, place, { deliveries: 1 }),
      ];
      await made(store, place);
      await indexed(store);
      for (const scope of [ofForm(place), ofProject(place)]) {
        for (const words of [[], ['ada']]) {
          expect(await idsOf(store, scope, { words, webhookState: 'pending' })).toEqual(newestFirst(waiting));
          expect(await idsOf(store, scope, { words, webhookState: 'failed' })).toEqual([]);
          expect(await idsOf(store, scope, { words, webhookState: 'delivered' })).toEqual([]);
        }
      }
    });

    it('lists nothing of a deleted form, in its project or alone', async () => {
      const { store } = harness();
      const { even, odd, evens } = await tenInTwoForms(store, () => '{"w":"findable"}');
      await indexed(store);
      await store.forms.markDeleted(odd.form.id, nextInstant());
      expect(await idsOf(store, ofProject(even))).toEqual(newestFirst(evens));
      expect(await idsOf(store, ofForm(odd))).toEqual([]);
    });
  });

  describe('searching submissions', () => {
    const harness = shared(make);

    it('finds nothing before the index has it, everything after', async () => {
      const { store } = harness();
      await indexed(store);
      const place = await madePlace(store);
      const { submission } = await made(store, place, { data: '{"name":"Grace Hopper"}' });
      expect(await store.indexStep()).toBe(false);
      expect(await idsOf(store, ofForm(place), { words: ['grace'] })).toEqual([submission.id]);
    });

    it('indexes in bounded steps, each row once', async () => {
      const { store } = harness();
      await indexed(store);
      const place = await madePlace(store);
      const entries = Array.from({ length: 1300 }, () => anEntry(place, { data: '{"w":"bounded"}' }));
      await store.commit(entries);
      let steps = 1;
      while (await store.indexStep()) steps += 1;
      expect(steps).toBeGreaterThan(1);
      const found = await pagesOf(store, ofForm(place), { words: ['bounded'] }, 100);
      expect(found.flat()).toEqual(newestFirst(entries));
    });

    it('wants every word, takes each as a beginning, in values at any depth', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const data = '{"keyname":"Ada Lovelace","deep":{"list":["Köln",{"n":4711}]},"flag":true}';
      const { submission } = await made(store, place, { data });
      await indexed(store);
      const finds = async (...words: string[]) => (await idsOf(store, ofForm(place), { words })).length === 1;
      expect(await finds('ada', 'love')).toBe(true);
      expect(await finds('koln')).toBe(true);
      expect(await finds('4711')).toBe(true);
      expect(await finds('471')).toBe(true);
      expect(await finds('ada', 'absent')).toBe(false);
      expect(await finds('lace')).toBe(false);
      expect(await finds('keyname')).toBe(false);
      expect(await idsOf(store, ofProject(place), { words: ['lovelace'] })).toEqual([submission.id]);
    });

    it('takes words of the query language as words', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await made(store, place, { data: '{"w":"and or not near scope words"}' });
      await indexed(store);
      const words = ['and', 'or', 'not', 'near', 'scope', 'words'];
      expect(await idsOf(store, ofForm(place), { words })).toHaveLength(1);
    });

    it('never looks beyond its form or project', async () => {
      const { store } = harness();
      const { even, odd, all, evens, odds } = await tenInTwoForms(store, () => '{"w":"shared"}');
      const foreign = await madePlace(store);
      // A visitor may type the terms that the index uses to separate forms.
      const sly = `f${even.form.id.replaceAll('-', '')} p${even.project.id.replaceAll('-', '')} ${even.form.id}`;
      await made(store, foreign, { data: JSON.stringify({ w: `shared ${sly}` }) });
      await indexed(store);
      const words = ['shared'];
      expect(await idsOf(store, ofForm(even), { words })).toEqual(newestFirst(evens));
      expect(await idsOf(store, ofForm(odd), { words })).toEqual(newestFirst(odds));
      expect(await idsOf(store, ofProject(even), { words })).toEqual(newestFirst(all));
      expect(await idsOf(store, ofForm(foreign), { words })).toHaveLength(1);
    });

    it('pages through what it found without gap or repetition while more arrive', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = Array.from({ length: 13 }, (_, i) => anEntry(place, { data: `{"w":"page ${i}"}` }));
      await store.commit(entries);
      await indexed(store);
      const pages = await pagesOf(store, ofForm(place), { words: ['page'] }, 4, async () => {
        await made(store, place, { data: '{"w":"page late"}' });
        await indexed(store);
      });
      expect(pages.flat()).toEqual(newestFirst(entries));
    });

    it('forgets what was deleted, indexed or not yet', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const data = '{"w":"forgotten"}';
      const before = await made(store, place, { data });
      await indexed(store);
      const after = await made(store, place, { data });
      const kept = await made(store, place, { data });
      for (const { submission } of [before, after]) {
        await store.submissions.delete(submission.id, nextInstant());
      }
      await indexed(store);
      expect(await idsOf(store, ofForm(place), { words: ['forgotten'] })).toEqual([kept.submission.id]);
    });

    it('finds nothing of a deleted form, in its project or alone', async () => {
      const { store } = harness();
      const { even, odd, evens } = await tenInTwoForms(store, () => '{"w":"deleted"}');
      await indexed(store);
      await store.forms.markDeleted(odd.form.id, nextInstant());
      expect(await idsOf(store, ofForm(odd), { words: ['deleted'] })).toEqual([]);
      expect(await idsOf(store, ofProject(even), { words: ['deleted'] })).toEqual(newestFirst(evens));
    });
  });
}
