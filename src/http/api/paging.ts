/** Cursors: opaque to the client, checked before they are used. */
import type { PageQuery } from '../../contract/paging.js';
import { isSortedPlace } from '../../domain/submissions/field-list.js';
import { isUuid } from '../../kernel/ids.js';
import { refuse } from '../../model/errors.js';
import type { Page } from '../../ports/store.js';

/** Lists continue after an id, searches after a number of their index, deliveries within a submission, sorted lists after value and id. */
export type CursorKind = 'list' | 'search' | 'deliveries' | 'sorted';

const isPlace: Readonly<Record<CursorKind, (place: string) => boolean>> = {
  list: isUuid,
  deliveries: (place) => {
    const [submission = '', delivery] = place.split(' ', 3);
    return isUuid(submission) && (delivery === undefined || isUuid(delivery)) && place.length <= 73;
  },
  sorted: isSortedPlace,
  search: (place) => /^[1-9]\d{0,15}$/.test(place),
};

export const encodeCursor = (place: string): string => Buffer.from(place).toString('base64url');

export function decodeCursor(cursor: string | undefined, kind: CursorKind): string | null {
  if (cursor === undefined) return null;
  const place = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!isPlace[kind](place) || encodeCursor(place) !== cursor) {
    throw refuse.invalidBody([{ path: 'cursor', message: 'is not a cursor that this list gave' }]);
  }
  return place;
}

/** Returns null for the whole list. Reads one item more than requested, to know whether there is a next page. */
export const optionalPage = ({ limit, cursor }: PageQuery): Page | null =>
  limit === undefined && cursor === undefined
    ? null
    : { limit: (limit ?? 100) + 1, after: decodeCursor(cursor, 'list') };

export function pageOf<T>(
  page: Page | null,
  items: readonly T[],
  idOf: (item: T) => string,
): { items: readonly T[]; next: { next_cursor: string | null } | Record<string, never> } {
  if (!page) return { items, next: {} };
  const shown = items.slice(0, page.limit - 1);
  const last = shown.at(-1);
  return {
    items: shown,
    next: { next_cursor: items.length > shown.length && last ? encodeCursor(idOf(last)) : null },
  };
}
