import { describe, expect, it } from 'vitest';
import { beginning, boundedJson, previewOf } from './bounded-text.js';

describe('the beginning of a text', () => {
  it('leaves short texts alone and never cuts a character in two', () => {
    expect(beginning('abc', 3)).toBe('abc');
    expect(beginning('abcd', 3)).toBe('abc');
    expect(beginning('ab😀', 3)).toBe('ab');
    expect(beginning('ab😀c', 4)).toBe('ab😀');
  });
});

describe('JSON up to a limit', () => {
  it.each([
    { a: 1, b: [true, null, 'x'], c: { d: {} }, e: [] },
    [],
    {},
    'text with "quotes"\n',
    [[1, [2, [3]]]],
    JSON.parse('{"__proto__":{"a":1},"constructor":"x"}'),
  ])('is what the language writes: %j', (value) => {
    expect(boundedJson(value, 10_000)).toEqual({ text: JSON.stringify(value, null, 2), isCut: false });
    expect(boundedJson(value, 10_000, 0).text).toBe(JSON.stringify(value));
  });

  it('ends early', () => {
    const value = { text: 'x'.repeat(1_000_000), more: Array.from({ length: 10_000 }, (_, n) => n) };
    const { text, isCut } = boundedJson(value, 500);
    expect(isCut).toBe(true);
    expect(text.length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(value, null, 2).startsWith(text)).toBe(true);
  });

  it('does not look at what is not shown', () => {
    const value = new Proxy(
      { first: 'x'.repeat(50), second: 1 },
      {
        get(target, name) {
          if (name === 'second') throw new Error('read too far');
          return Reflect.get(target, name);
        },
      },
    );
    expect(boundedJson(value, 20).isCut).toBe(true);
  });
});

describe('a preview', () => {
  it('is one short line', () => {
    expect(previewOf('  two\n lines\t')).toBe('two lines');
    expect(previewOf('x'.repeat(1000), 10)).toBe('x'.repeat(10));
    expect(previewOf(['a', 'b'])).toBe('a, b');
    expect(previewOf({ a: [1] })).toBe('{"a":[1]}');
    expect(previewOf(null)).toBe('');
    expect(previewOf(false)).toBe('false');
    expect(previewOf(0)).toBe('0');
  });
});
