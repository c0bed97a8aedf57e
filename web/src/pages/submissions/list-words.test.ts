import { expect, it } from 'vitest';
import { noFilter } from '../../inbox/filter-params.js';
import { nothingFits, shownWords } from './list-words.js';

it.each([
  [5, { count: 0, isMore: false }, false, '5 submissions'],
  [50, { count: 0, isMore: false }, true, '50 submissions shown'],
  [1, { count: 3, isMore: false }, false, '1 submission shown, 3 newer above'],
  [50, { count: 50, isMore: true }, true, '50 submissions shown, more than 49 newer above'],
])('%i shown with %o newer', (shown, newer, hasOlder, words) => {
  expect(shownWords(shown, newer, hasOlder)).toBe(words);
});

it.each([
  [{ q: 'zzz' }, 'No submission has these words. Search matches the start of words.'],
  [
    { q: 'zzz', from: '2026-01-01' },
    'No submission has these words in these days. Search matches the start of words.',
  ],
  [{ to: '2026-01-01' }, 'No submission came in these days.'],
  [{ state: 'failed' as const }, 'No submission has deliveries in this state.'],
  [
    { from: '2026-01-01', state: 'failed' as const },
    'No submission came in these days and has deliveries in this state.',
  ],
  [{ isStarred: true }, 'No submission matches these filters.'],
  // There may be submissions in that range, none of them starred.
  [{ from: '2026-01-01', isStarred: true }, 'No submission matches these filters.'],
])('nothing fits %o', (asked, words) => {
  expect(nothingFits({ ...noFilter, ...asked })).toBe(words);
});
