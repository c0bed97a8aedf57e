import { expect, it } from 'vitest';
import { linkOf, namedDirections } from './untrusted.js';

it('names what turns the writing direction, and leaves scripts that run from right to left alone', () => {
  expect(namedDirections('abc\u202egnp.exe')).toBe('abc[U+202E]gnp.exe');
  expect(namedDirections('\u2066x\u2069')).toBe('[U+2066]x[U+2069]');
  expect(namedDirections('שלום عالم 😀')).toBe('שלום عالم 😀');
});

it('links only to the web and to mail', () => {
  expect(linkOf('https://example.com/a?b=c')).toBe('https://example.com/a?b=c');
  expect(linkOf('ada@example.com')).toBe('mailto:ada@example.com');
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    'https://',
    '//example.com',
    'x y@example.com',
  ])
    expect(linkOf(text)).toBeNull();
});
