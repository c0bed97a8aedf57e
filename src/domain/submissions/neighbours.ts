/** Finds the submissions before and after one in a list. */
import { shownText } from '../../kernel/value-text.js';
import type { Submission, SubmissionListing } from '../../model/submission.js';
import type { Store, SubmissionScope } from '../../ports/store.js';
import { allRows, comparerOf, isSorted, needsFields, type Place } from './field-list.js';
import { fieldSource } from './field-text.js';
import { sortKey } from './sort-key.js';

/** Ids; null when there is none. */
export interface Neighbours {
  readonly previous: string | null;
  readonly next: string | null;
}

type Read = Pick<Submission, 'id' | 'data'>;

export function findNeighbours(
  store: Store,
  scope: SubmissionScope,
  listing: SubmissionListing,
  own: Read,
): Promise<Neighbours> {
  if (listing.filter.words.length > 0 && !isSorted(listing)) return inSearch(store, scope, listing, own);
  return needsFields(listing) ? byFields(store, scope, listing, own) : byTime(store, scope, listing, own);
}

/** One index step in either direction. The submission need not be in the list: reading it may have removed it from the list. */
async function byTime(
  store: Store,
  scope: SubmissionScope,
  { filter }: SubmissionListing,
  { id }: Read,
): Promise<Neighbours> {
  const first = async (isOldestFirst: boolean): Promise<string | null> => {
    const page = await store.submissions.list(scope, { ...filter, isOldestFirst }, { limit: 1, after: id });
    return page.items[0]?.id ?? null;
  };
  const [previous, next] = await Promise.all([first(!filter.isOldestFirst), first(filter.isOldestFirst)]);
  return { previous, next };
}

/** Reads everything, as for a page of such a list, to find the nearest on either side. */
async function byFields(
  store: Store,
  scope: SubmissionScope,
  listing: SubmissionListing,
  own: Read,
): Promise<Neighbours> {
  const { sortField, filter } = listing;
  const compare = comparerOf(listing);
  const placeOf = ({ id, data }: Read): Place => {
    if (sortField !== null) return { id, key: sortKey(shownText(fieldSource(data, sortField.name))) };
    // Equal keys are ordered by id, newest first.
    return { id, key: filter.isOldestFirst ? id : '' };
  };
  const ownPlace = placeOf(own);
  let previous: Place | null = null;
  let next: Place | null = null;
  for await (const row of allRows(store, scope, listing)) {
    const place = placeOf(row);
    const side = compare(place, ownPlace);
    if (side < 0 && (previous === null || compare(place, previous) > 0)) previous = place;
    if (side > 0 && (next === null || compare(place, next) < 0)) next = place;
  }
  return { previous: previous?.id ?? null, next: next?.id ?? null };
}

/** A search has its own order, which is only known by walking along it. */
async function inSearch(
  store: Store,
  scope: SubmissionScope,
  listing: SubmissionListing,
  own: Read,
): Promise<Neighbours> {
  let previous: string | null = null;
  let isFound = false;
  for await (const { id } of allRows(store, scope, listing)) {
    if (isFound) return { previous, next: id };
    if (id === own.id) isFound = true;
    else previous = id;
  }
  return { previous: isFound ? previous : null, next: null };
}
