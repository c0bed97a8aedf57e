/** What stands before and after a submission in a list. */
import type { Submission, SubmissionListing } from '../../model/submission.js';
import type { Store, SubmissionScope } from '../../ports/store.js';
import { allRows, comparerOf, isSorted, needsFields, type Place } from './field-list.js';
import { fieldSource, shownText } from './field-text.js';
import { sortKey } from './sort-key.js';

/** By their ids. */
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

/** One step through the index in either direction. It need not be in the list itself: reading it may have taken it out. */
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

/** Everything is looked at, as for a page of such a list; the nearest on either side stay. */
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
    // Equal keys are in the order of their ids, the newest first.
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

/** A search has an order of its own, which only walking along it tells. */
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
