import { expect, it } from 'vitest';
import { dayRange, movedToTrash, unlabelled } from './inbox-actions.js';

it.each([
  ['', '', 'Any time'],
  ['2026-11-01', '', 'Since 2026-11-01'],
  ['', '2026-11-01', 'Until 2026-11-01'],
  ['2026-11-01', '2026-11-01', '2026-11-01'],
  ['2026-11-01', '2026-11-04', '2026-11-01 – 2026-11-04'],
])('from %j to %j is %j', (from, to, words) => {
  expect(dayRange(from, to)).toBe(words);
});

it('counts what was changed, but not a single one', () => {
  expect(movedToTrash(1)).toBe('Moved to trash');
  expect(movedToTrash(1_200)).toBe('1,200 submissions moved to trash');
  expect(unlabelled(2)).toBe('2 submissions no longer labelled');
});
