/**
 * Lists that are filtered or sorted by submitted data. No index knows the names of fields, so the data is read, a bounded piece
 * at a time, and evaluated here: identically for all databases, and by a parser that no text can break.
 */

import { isUuid } from '../../kernel/ids.js';
import { createPace } from '../../kernel/pace.js';
import { shownText } from '../../kernel/value-text.js';
import { refuse } from '../../model/errors.js';
import type { Reach } from '../../model/reach.js';
import type { FieldCondition, SubmissionListing } from '../../model/submission.js';
import type { DataPage, Page, Store, SubmissionPage, SubmissionScope } from '../../ports/store.js';
import { fieldSource } from './field-text.js';
import { sortKey } from './sort-key.js';

/** Rows read at once. The store ends a page earlier when the data is long. */
const chunkRows = 1_000;
/** A page ends after this many rows, however few of them match. The cursor continues after them. */
const maxJudgedRows = 20_000;
const maxJudgedLength = 16 * 1024 * 1024;
/** Each page of a sorted list reads everything: 100,000 rows take about a second. */
const maxSortedRows = 100_000;
const maxSortedLength = 128 * 1024 * 1024;
/** As for the pages of all lists. */
const maxPageLength = 1024 * 1024;
/** A text this long gets its own event loop turn. */
const largeLength = 64 * 1024;

type Row = DataPage['rows'][number];

/** Where the next page of a list begins: after an id, a number in the search index, or a value and an id. */
export const placeKindOf = ({ filter, ...listing }: SubmissionListing): 'list' | 'search' | 'sorted' => {
  if (isSorted({ filter, ...listing })) return 'sorted';
  return filter.words.length > 0 ? 'search' : 'list';
};

/** Sorted by a field, or against the order in which the rows are read. */
export const isSorted = ({ filter, fields, sortField }: SubmissionListing): boolean =>
  sortField !== null || (filter.isOldestFirst && (filter.words.length > 0 || fields.length > 0));

export const needsFields = (listing: SubmissionListing): boolean =>
  listing.fields.length > 0 || isSorted(listing);

export function matcherOf(conditions: readonly FieldCondition[]): (data: string) => boolean {
  const tests = conditions.map(({ name, kind, text }) => {
    const wanted = text.toLowerCase();
    return (data: string): boolean => {
      const shown = shownText(fieldSource(data, name)).toLowerCase();
      return kind === 'equals' ? shown === wanted : shown.includes(wanted);
    };
  });
  return (data) => tests.every((test) => test(data));
}

export function listByFields(
  store: Store,
  reach: Reach,
  scope: SubmissionScope,
  listing: SubmissionListing,
  page: Page,
): Promise<SubmissionPage> {
  return isSorted(listing)
    ? listSorted(store, reach, scope, listing, page)
    : listMatching(store, reach, scope, listing, page);
}

/** Reads the next rows that the filter covers. For a search no more than still fit, because it can only continue at a page end. */
async function read(
  store: Store,
  scope: SubmissionScope,
  { filter }: SubmissionListing,
  after: string | null,
  searchLimit: number,
): Promise<DataPage> {
  if (filter.words.length === 0)
    return store.submissions.listData(scope, filter, { limit: chunkRows, after });
  const { items, next } = await store.submissions.list(scope, filter, { limit: searchLimit, after });
  return { rows: items, next };
}

async function listMatching(
  store: Store,
  reach: Reach,
  scope: SubmissionScope,
  listing: SubmissionListing,
  page: Page,
): Promise<SubmissionPage> {
  const matches = matcherOf(listing.fields);
  const pace = createPace();
  const found: string[] = [];
  let foundLength = 0;
  let judgedRows = 0;
  let judgedLength = 0;
  let after = page.after;
  const isFull = (): boolean => found.length >= page.limit || foundLength >= maxPageLength;
  do {
    const chunk = await read(store, scope, listing, after, page.limit - found.length);
    after = chunk.next;
    for (const { id, data } of chunk.rows) {
      if (pace.isOver() || data.length >= largeLength) await pace.rest();
      judgedRows += 1;
      judgedLength += data.length;
      if (!matches(data)) continue;
      found.push(id);
      foundLength += data.length;
      if (!isFull() || listing.filter.words.length > 0) continue;
      after = id;
      break;
    }
  } while (after !== null && !isFull() && judgedRows < maxJudgedRows && judgedLength < maxJudgedLength);
  return { items: await store.submissions.findSome(reach, found), next: after };
}

interface Candidate {
  readonly id: string;
  readonly key: string;
  readonly length: number;
}

export type Place = Pick<Candidate, 'id' | 'key'>;

/** Encodes the key: it may have any characters, a cursor may not. */
const placeText = ({ id, key }: Place): string => `${id} ${Buffer.from(key, 'utf16le').toString('base64')}`;

export function isSortedPlace(text: string): boolean {
  const [id = '', key = ''] = text.split(' ', 2);
  return isUuid(id) && key.length <= 300 && placeText(toPlace(text)) === text;
}

function toPlace(text: string): Place {
  const [id = '', key = ''] = text.split(' ', 2);
  return { id, key: Buffer.from(key, 'base64').toString('utf16le') };
}

/** Empty values come last in either direction. Of equal ones, the newest comes first. */
export function comparerOf({ sortField }: SubmissionListing): (a: Place, b: Place) => number {
  const direction = sortField?.isDescending ? -1 : 1;
  return (a, b) => {
    if (a.key !== b.key) {
      if (a.key === '' || b.key === '') return a.key === '' ? 1 : -1;
      return a.key < b.key ? -direction : direction;
    }
    return a.id === b.id ? 0 : a.id > b.id ? -1 : 1;
  };
}

/** Collects the first `most` of many, in order. */
function createFirst(most: number, compare: (a: Place, b: Place) => number) {
  const first: Candidate[] = [];
  return {
    first,
    add(candidate: Candidate): void {
      const last = first.at(-1);
      if (first.length === most && last && compare(candidate, last) >= 0) return;
      let [low, high] = [0, first.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        const other = first[middle];
        if (other && compare(other, candidate) < 0) low = middle + 1;
        else high = middle;
      }
      first.splice(low, 0, candidate);
      if (first.length > most) first.pop();
    },
  };
}

async function listSorted(
  store: Store,
  reach: Reach,
  scope: SubmissionScope,
  listing: SubmissionListing,
  page: Page,
): Promise<SubmissionPage> {
  const { sortField } = listing;
  const compare = comparerOf(listing);
  const after = page.after === null ? null : toPlace(page.after);
  const { first, add } = createFirst(page.limit + 1, compare);
  for await (const { id, data } of allRows(store, scope, listing)) {
    const key = sortField === null ? id : sortKey(shownText(fieldSource(data, sortField.name)));
    if (after === null || compare({ id, key }, after) > 0) add({ id, key, length: data.length });
  }
  const shown = onOnePage(first.slice(0, page.limit));
  const last = shown.at(-1);
  return {
    items: await store.submissions.findSome(
      reach,
      shown.map(({ id }) => id),
    ),
    next: last && first.length > shown.length ? placeText(last) : null,
  };
}

/** Yields everything that the list covers, in the order of ids or of the search. */
export async function* allRows(
  store: Store,
  scope: SubmissionScope,
  listing: SubmissionListing,
): AsyncGenerator<Row> {
  const matches = matcherOf(listing.fields);
  const pace = createPace();
  let [rows, length] = [0, 0];
  let after: string | null = null;
  do {
    const chunk: DataPage = await read(store, scope, listing, after, chunkRows);
    after = chunk.next;
    for (const row of chunk.rows) {
      rows += 1;
      length += row.data.length;
      if (rows > maxSortedRows || length > maxSortedLength) throw refuse.tooManyToSort(maxSortedRows);
      if (pace.isOver() || row.data.length >= largeLength) await pace.rest();
      if (matches(row.data)) yield row;
    }
  } while (after !== null);
}

function onOnePage(candidates: readonly Candidate[]): readonly Candidate[] {
  let length = 0;
  const end = candidates.findIndex((candidate) => {
    length += candidate.length;
    return length >= maxPageLength;
  });
  return end < 0 ? candidates : candidates.slice(0, end + 1);
}
