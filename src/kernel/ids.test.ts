import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUuid, lowestIdAt, newId, shortId } from './ids.js';

/** Everything that fits in 48 bits: until the year 10889. */
const instants = fc.oneof(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.integer({ min: 1.7e12, max: 1.9e12 }));

describe('newId', () => {
  it('orders by time, whatever the random part is', () => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        fc.pre(a !== b);
        expect(newId(a) < newId(b)).toBe(a < b);
      }),
    );
  });

  it('keeps the order of making within one millisecond', () => {
    const ids = Array.from({ length: 5_000 }, () => newId(1_769_860_800_007));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is a lower-case UUID of version 7 and carries its millisecond', () => {
    fc.assert(
      fc.property(instants, (at) => {
        const id = newId(at);
        expect(isUuid(id)).toBe(true);
        expect(id).toMatch(/^.{14}7.{4}[89ab]/);
        expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(at);
      }),
    );
  });

  it('draws a new place to count from in each millisecond: ids do not tell how many were made', () => {
    const sequences = Array.from({ length: 50 }, (_, i) => newId(1_700_000_000_000 + i).slice(14));
    expect([...sequences].sort()).not.toEqual(sequences);
  });
});

describe('lowestIdAt', () => {
  it('lies above every id of the millisecond before and not above any of its own', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), (at) => {
        const border = lowestIdAt(at);
        expect(isUuid(border)).toBe(true);
        expect(newId(at - 1) < border).toBe(true);
        expect(border <= newId(at)).toBe(true);
      }),
    );
  });

  it('takes a time before 1970 as the beginning', () => {
    expect(lowestIdAt(-1)).toBe('00000000-0000-7000-8000-000000000000');
  });
});

describe('isUuid', () => {
  const id = '01890a5d-ac96-774b-bcce-b302099a8057';
  it.each([
    ['another case', id.toUpperCase()],
    ['no dashes', id.replaceAll('-', '')],
    ['one character less', id.slice(1)],
    ['one character more', `${id}0`],
    ['a line behind', `${id}\n`],
    ['a line before', `\n${id}`],
    ['nothing', ''],
  ])('takes an id with %s for unknown', (_, text) => {
    expect(isUuid(id)).toBe(true);
    expect(isUuid(text)).toBe(false);
  });
});

describe('shortId', () => {
  it('has the asked length, no vowels and no look-alikes', () => {
    for (const length of [1, 12, 15, 16, 17, 40]) {
      expect(shortId(length)).toMatch(new RegExp(`^[2-9bcdfghjkmnpqrstvwxz]{${length}}$`));
    }
  });

  it('uses all of its 27 letters', () => {
    expect(new Set(shortId(5_000)).size).toBe(27);
  });

  it('does not repeat', () => {
    const ids = Array.from({ length: 2_000 }, () => shortId(12));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
