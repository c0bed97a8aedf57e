import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../../kernel/ids.js';
import { Refusal } from '../../model/errors.js';
import { decodeCursor, encodeCursor, optionalPage, pageOf } from './paging.js';

const kinds = ['list', 'search', 'deliveries'] as const;

describe('cursors', () => {
  it('lead back to the place they were made from, and travel in a query as they are', () => {
    const ids = fc.uuid();
    const numbers = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map(String);
    fc.assert(
      fc.property(ids, numbers, (id, number) => {
        expect(decodeCursor(encodeCursor(id), 'list')).toBe(id);
        expect(decodeCursor(encodeCursor(number), 'search')).toBe(number);
        expect(encodeURIComponent(encodeCursor(id))).toBe(encodeCursor(id));
      }),
    );
  });

  it('of a list are none of a search, and the other way round', () => {
    expect(() => decodeCursor(encodeCursor(newId(1)), 'search')).toThrow(Refusal);
    expect(() => decodeCursor(encodeCursor('12'), 'list')).toThrow(Refusal);
  });

  it('are refused with the name of the parameter when no list gave them', () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.base64String(),
      fc.string({ unit: 'binary' }).map(encodeCursor),
      fc.integer().map((number) => encodeCursor(String(number))),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom(...kinds), (text, kind) => {
        let place: string | null;
        try {
          place = decodeCursor(text, kind);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          expect((error as Refusal).extra.details).toMatchObject([{ path: 'cursor' }]);
          return;
        }
        expect(place).toMatch(kind === 'list' ? /^[0-9a-f-]{36}$/ : /^[1-9]\d*$/);
        expect(encodeCursor(place ?? '')).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    '',
    ' ',
    'MQ==',
    'MQ ',
    'MR',
    encodeCursor('0'),
    encodeCursor('-1'),
    encodeCursor('1e3'),
    encodeCursor("1' OR 1=1"),
    encodeCursor('9'.repeat(17)),
    encodeCursor('1\n'),
    encodeCursor(newId(1).toUpperCase()),
  ])('are refused by every list: %j', (cursor) => {
    for (const kind of kinds) expect(() => decodeCursor(cursor, kind)).toThrow(Refusal);
  });

  it('are optional', () => {
    for (const kind of kinds) expect(decodeCursor(undefined, kind)).toBeNull();
  });
});

describe('optionalPage', () => {
  it('is everything when nothing was asked, and else one more than asked', () => {
    expect(optionalPage({})).toBeNull();
    expect(optionalPage({ limit: 10 })).toEqual({ limit: 11, after: null });
    const id = newId(1);
    expect(optionalPage({ cursor: encodeCursor(id) })).toEqual({ limit: 101, after: id });
  });
});

describe('pageOf', () => {
  it('leads through a list of any length, page by page, every item once', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.integer({ min: 1, max: 7 }), (length, limit) => {
        const list = Array.from({ length }, () => newId(1_700_000_000_000));
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = optionalPage({ limit, ...(cursor === undefined ? {} : { cursor }) });
          const from = page?.after ? list.indexOf(page.after) + 1 : 0;
          const { items, next } = pageOf(page, list.slice(from, from + (page?.limit ?? 0)), (id) => id);
          expect(items.length).toBeLessThanOrEqual(limit);
          seen.push(...items);
          cursor = next.next_cursor ?? undefined;
          if (cursor !== undefined) expect(items).toHaveLength(limit);
        } while (cursor !== undefined);
        expect(seen).toEqual(list);
      }),
    );
  });

  it('says nothing of a next page when everything was asked', () => {
    expect(pageOf(null, ['a', 'b'], (id) => id)).toEqual({ items: ['a', 'b'], next: {} });
  });
});
