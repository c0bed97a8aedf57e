import { expect, it } from 'vitest';
import { namedDirections } from './untrusted.js';

it('names what turns the writing direction, and leaves scripts that run from right to left alone', () => {
  expect(namedDirections('abc\u202egnp.exe')).toBe('abc[U+202E]gnp.exe');
  expect(namedDirections('\u2066x\u2069')).toBe('[U+2066]x[U+2069]');
  expect(namedDirections('שלום عالم 😀')).toBe('שלום عالم 😀');
});
