import { expect, it } from 'vitest';
import { localInput, momentOf } from './local-moment.js';

it('shows a moment where the reader is, and reads it back', () => {
  const at = new Date(2026, 0, 31, 9, 5);
  expect(localInput(at.toISOString())).toBe('2026-01-31T09:05');
  expect(momentOf('2026-01-31T09:05')).toBe(at.toISOString());
});

it('shows nothing for no moment, and reads none from nothing', () => {
  expect(localInput(null)).toBe('');
  expect(momentOf('')).toBeNull();
});
