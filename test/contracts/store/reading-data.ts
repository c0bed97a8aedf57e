import { describe, expect, it } from 'vitest';
import { noFilter } from '../../../src/model/submission.js';
import type { NewSubmission, Store } from '../../../src/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import { anEntry, epoch, made, madePlace, nextInstant, type Place } from './samples.js';

const later = epoch + 2_000_000_000;

/** Every page to the end. `between` runs after each. */
async function pagesOf(
  store: Store,
  place: Place,
  limit: number,
  until = later,
  between: () => Promise<void> = async () => {},
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let after: string | null = null;
  do {
    const page = await store.submissions.listData(
      { kind: 'form', formId: place.form.id },
      { ...noFilter, until },
      { limit, after },
    );
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    pages.push(page.rows.map(({ data }) => data));
    after = page.next;
    await between();
  } while (after !== null && pages.length < 100);
  expect(after).toBeNull();
  return pages;
}

const newestFirst = (entries: readonly NewSubmission[]): readonly string[] =>
  entries.map(({ submission }) => submission.data).reverse();

const numbered = (place: Place, count: number): readonly NewSubmission[] =>
  Array.from({ length: count }, (_, n) => anEntry(place, { data: `{"n":${n}}` }));

export function readingDataContract(make: MakeHarness): void {
  describe('reading the data of submissions alone', () => {
    const harness = shared(make);

    it('returns everything of the form and nothing of other forms, newest first, whatever the order of commits', async () => {
      const { store } = harness();
      const [place, other] = [await madePlace(store), await madePlace(store)];
      await made(store, other, { data: '{"other":1}' });
      const entries = numbered(place, 6);
      await store.commit(entries.slice(3));
      await store.commit(entries.slice(0, 3).reverse());
      expect((await pagesOf(store, place, 1000)).flat()).toEqual(newestFirst(entries));
    });

    it('gives each text as it was sent', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const texts = [
        '{}',
        ' {\r\n\t"a" : 1.50 , "a":12345678901234567890 } ',
        '{"\\u0000\\u001e":"\\u001e \\" \\\\","ł 🦆":["\u007f\u2028"]}',
      ];
      const entries = texts.map((data) => anEntry(place, { data }));
      await store.commit(entries);
      expect((await pagesOf(store, place, 1000)).flat()).toEqual(newestFirst(entries));
    });

    it('pages without gap or repetition while newer ones arrive and older ones go', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = numbered(place, 23);
      await store.commit(entries);
      let newer = 0;
      const pages = await pagesOf(store, place, 5, later, async () => {
        newer += 1;
        await made(store, place, { createdAt: epoch + 1_000_000_000 + newer });
        const shown = entries.at(-newer);
        if (shown) await store.submissions.delete(shown.submission.id, nextInstant());
      });
      expect(pages.flat()).toEqual(newestFirst(entries));
    });

    it('ends also when the last page is full, and when there is nothing', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      expect((await pagesOf(store, place, 5)).flat()).toEqual([]);
      const entries = numbered(place, 10);
      await store.commit(entries);
      expect((await pagesOf(store, place, 5)).flat()).toEqual(newestFirst(entries));
    });

    it('gives nothing from that time on, on no page', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const at = (ms: number) => anEntry(place, { createdAt: epoch + ms, data: `{"at":${ms}}` });
      const entries = [at(1000), at(2000), at(3000)];
      await store.commit(entries);
      for (const limit of [1, 1000]) {
        const textsUpTo = async (until: number) => (await pagesOf(store, place, limit, epoch + until)).flat();
        expect(await textsUpTo(1000)).toEqual([]);
        expect(await textsUpTo(3000)).toEqual(newestFirst(entries.slice(0, 2)));
        expect(await textsUpTo(3001)).toEqual(newestFirst(entries));
      }
    });

    it('ends a page early where it gets long, but gives every text, however long it is', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const lengths = [10, 1_000_000, 10, 100_000, 100_000, 100_000, 100_000, 1_000_000, 1_000_000];
      const entries = lengths.map((length) => anEntry(place, { data: `{"a":"${'ł'.repeat(length / 2)}"}` }));
      await store.commit(entries);
      const pages = await pagesOf(store, place, 1000);
      expect(pages.flat()).toEqual(newestFirst(entries));
      const units = pages.map((page) => page.reduce((sum, text) => sum + text.length, 0));
      expect(Math.max(...units)).toBeLessThan(700_000);
    });

    it('gives nothing of a deleted form', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await made(store, place);
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect((await pagesOf(store, place, 5)).flat()).toEqual([]);
    });
  });
}
