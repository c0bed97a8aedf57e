/** Cursors: opaque to the client, checked before they are used. */
import type { PageQuery } from '../../contract/paging.js';
import { refuse } from '../../model/errors.js';
import type { Page } from '../../ports/store.js';

/** Ids and numbers only: what a cursor may unfold to. */
const placeShape = /^[0-9a-f-]{1,40}$/;

export const encodeCursor = (place: string): string => Buffer.from(place).toString('base64url');

export function decodeCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const place = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!placeShape.test(place) || encodeCursor(place) !== cursor) {
    throw refuse.invalidBody([{ path: 'cursor', message: 'is not a cursor that this list gave' }]);
  }
  return place;
}

/** null: everything. One more than asked for is read, to know whether there is a next page. */
export const optionalPage = ({ limit, cursor }: PageQuery): Page | null =>
  limit === undefined && cursor === undefined
    ? null
    : { limit: (limit ?? 100) + 1, after: decodeCursor(cursor) };

export function pageAnswer<T>(
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
