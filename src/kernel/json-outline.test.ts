import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { membersOf } from './json-outline.js';

const namesIn = (text: string): string[] => [...membersOf(text)].map(({ name }) => name);

/** Keys and values full of characters that have a meaning in JSON. */
const tricky = fc.string({
  unit: fc.constantFrom('"', '\\', ':', ',', '{', '}', '[', ']', ' ', 'a', 'ł', '\0'),
});

describe('the members of JSON text', () => {
  it('are those that JSON.parse finds, with their values', () => {
    const value = fc.jsonValue({ depthSize: 'small' });
    fc.assert(
      fc.property(fc.array(fc.tuple(tricky, fc.oneof(tricky, value))), fc.nat(2), (members, indent) => {
        const text = JSON.stringify(Object.fromEntries(members), null, indent);
        const found = Object.fromEntries(
          [...membersOf(text)].map((member): [string, unknown] => [member.name, JSON.parse(member.value)]),
        );
        expect(found).toEqual(JSON.parse(text));
      }),
    );
  });

  it('come in their order and as often as they stand there, without their escapes', () => {
    const text = '{"b":1, "7":1, "a":1, "\\u0061" : {"c":2} ,"\\"\\\\":"d:","":[{"e":3}]}';
    expect(namesIn(text)).toEqual(['b', '7', 'a', 'a', '"\\', '']);
  });

  it.each([
    ['numbers', `[${'1,'.repeat(200_000)}1]`],
    ['empty strings', `[${'"",'.repeat(200_000)}1]`],
    ['escaped quotes', `"${'\\"'.repeat(200_000)}"`],
    ['blanks', `${' '.repeat(200_000)}1`],
  ])('are found around a large value: %s', (_, large) => {
    expect(namesIn(`{"before":${large},"after":${large}}`)).toEqual(['before', 'after']);
  });
});
