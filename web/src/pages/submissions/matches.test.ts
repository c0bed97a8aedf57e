import { expect, it } from 'vitest';
import { matchesIn, wordsOf } from './matches.js';

const marked = (text: string, q: string): readonly string[] =>
  matchesIn(text, wordsOf(q)).map(({ start, end }) => text.slice(start, end));

it.each([
  ['I am Grace Hopper, graceful', 'gra', ['Gra', 'gra']],
  ['disgrace', 'grace', []],
  ['Ada and ada@example.com', 'ADA exam', ['Ada', 'ada', 'exam']],
  ['Café Crème', 'cafe', ['Café']],
  ['Cafe\u0301 au lait', 'café', ['Cafe\u0301'.slice(0, 4)]],
  ['👩‍🚀 über uns', 'uber', ['über']],
  ['<b>bold</b>', '<b>', ['b', 'b', 'b']],
  ['anything', '', []],
  ['anything', '…', []],
])('%s has what %s finds', (text, q, words) => {
  expect(marked(text, q)).toEqual(words);
});
