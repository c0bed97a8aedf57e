import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchWords } from './search.js';

const typed = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('a', '𠀀', 'Ä', '"', '*', ' '), minLength: 90, maxLength: 400 }),
);

describe('searchWords', () => {
  it('gives letters, digits and their marks only, whatever is typed: no word can speak the query language', () => {
    fc.assert(
      fc.property(typed, (text) => {
        for (const word of searchWords(text))
          expect(word).toMatch(/^[\p{Letter}\p{Number}][\p{Letter}\p{Number}\p{Mark}]*$/u);
      }),
      { numRuns: 500 },
    );
  });

  it('gives at most ten words of at most a hundred letters', () => {
    fc.assert(
      fc.property(typed, (text) => {
        const words = searchWords(text);
        expect(words.length).toBeLessThanOrEqual(10);
        for (const word of words) expect([...word].length).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('finds the same words in its own response', () => {
    fc.assert(
      fc.property(typed, (text) => {
        const words = searchWords(text);
        expect(searchWords(words.join(' '))).toEqual(words);
      }),
    );
  });

  it.each([
    ['Ada Lovelace', ['Ada', 'Lovelace']],
    ['ada@example.com', ['ada', 'example', 'com']],
    ['Crème BRU\u0302LE\u0301E', ['Crème', 'BRU\u0302LE\u0301E']],
    ['ﬁn Ⅷ ②', ['ﬁn', 'Ⅷ', '②']],
    ['नमस्ते, दुनिया', ['नमस्ते', 'दुनिया']],
    ['"a" OR b* NOT (c) NEAR/2', ['a', 'OR', 'b', 'NOT', 'c', 'NEAR', '2']],
    ["x'; DROP TABLE submissions; --", ['x', 'DROP', 'TABLE', 'submissions']],
    ['例え 🙂 мир', ['例え', 'мир']],
    ['', []],
    [' \0\n* ', []],
  ])('reads %j', (text, words) => {
    expect(searchWords(text)).toEqual(words);
  });

  it('never cuts a letter in half', () => {
    expect(searchWords(`a${'𠀀'.repeat(120)}`)).toEqual([`a${'𠀀'.repeat(99)}`]);
  });
});
