import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameWalk } from './json-names.js';
import { membersOf } from './json-outline.js';

function walked(text: string): { names: readonly string[]; pieces: number } {
  const names: string[] = [];
  const walk = new NameWalk(text);
  let pieces = 1;
  while (walk.next((name) => names.push(name))) pieces += 1;
  return { names, pieces };
}

/** Keys and values full of what has a meaning in JSON. */
const tricky = fc.string({
  unit: fc.constantFrom('"', '\\', ':', ',', '{', '}', '[', ']', ' ', 'a', 'ł', '\0'),
});

describe('the names of JSON text', () => {
  it('are those that the members have, in their order', () => {
    const value = fc.jsonValue({ depthSize: 'small' });
    fc.assert(
      fc.property(fc.array(fc.tuple(tricky, fc.oneof(tricky, value))), fc.nat(2), (members, indent) => {
        const text = JSON.stringify(Object.fromEntries(members), null, indent);
        expect(walked(text).names).toEqual([...membersOf(text)].map(({ name }) => name));
        expect(new Set(walked(text).names)).toEqual(new Set(Object.keys(JSON.parse(text) as object)));
      }),
    );
  });

  it('come as often as they stand there, without their escapes', () => {
    expect(walked('{"a":1, "\\u0061" : {"b":2} ,"\\"\\\\":"c:","":[{"d":3}]}').names).toEqual([
      'a',
      'a',
      '"\\',
      '',
    ]);
  });

  it.each([
    ['numbers', `[${'1,'.repeat(200_000)}1]`],
    ['empty strings', `[${'"",'.repeat(200_000)}1]`],
    ['escaped quotes', `"${'\\"'.repeat(200_000)}"`],
    ['blanks', `${' '.repeat(200_000)}1`],
  ])('are found in pieces: %s', (_, large) => {
    const { names, pieces } = walked(`{"before":${large},"after":${large}}`);
    expect(names).toEqual(['before', 'after']);
    expect(pieces).toBeGreaterThanOrEqual(20);
  });
});
