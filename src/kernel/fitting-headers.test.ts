import { expect, it } from 'vitest';
import { fittingHeaders } from './fitting-headers.js';

it('keeps headers that fit, in their order, repeated ones joined', () => {
  const headers = { server: 'nginx', 'set-cookie': ['a=1', 'b=2'], missing: undefined };
  expect(fittingHeaders(headers, 100)).toEqual({ server: 'nginx', 'set-cookie': 'a=1, b=2' });
});

it('leaves out what does not fit', () => {
  expect(fittingHeaders({ a: 'x'.repeat(9), b: 'y', c: 'z' }, 12)).toEqual({ a: 'x'.repeat(9), b: 'y' });
  expect(fittingHeaders({ a: 'x'.repeat(12), b: 'y' }, 12)).toEqual({ b: 'y' });
});

it('takes names that objects have for names', () => {
  const headers = JSON.parse('{"__proto__": "x", "constructor": "y"}');
  expect(JSON.stringify(fittingHeaders(headers, 100))).toBe('{"__proto__":"x","constructor":"y"}');
});
