import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueText } from './value-text.js';

const shown = (source: string, maxChars = 10_000): string => valueText(source, maxChars).text;

const numbersIn = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};

describe('a value as a person reads it', () => {
  it.each([
    ['"Ada"', 'Ada'],
    ['"a\\r\\nb\\rc\\u2028d"', 'a\nb\nc\nd'],
    ['"tab\\there\\u0000\\u001b"', 'tab    here\ufffd\ufffd'],
    ['"\\ud800x"', '\ufffdx'],
    ['12345678901234567890.10', '12345678901234567890.10'],
    ['1e400', '1e400'],
    ['true', 'true'],
    ['null', ''],
    ['""', ''],
    ['[]', '(empty)'],
    ['{ }', '(empty)'],
    ['["a", 2.50, null]', '- a\n- 2.50\n- (empty)'],
    ['{"b":1,"a":"x\\ny"}', 'b: 1\na: x\n  y'],
    [
      '{"10":{"2":[{"k":"v","l":[]},["z"]]},"e": { }}',
      '10:\n  2:\n    - k: v\n      l: (empty)\n    - - z\ne: (empty)',
    ],
    ['{"quote\\"and\\\\":"{[,:]}"}', 'quote"and\\: {[,:]}'],
  ])('%s', (source, text) => {
    expect(valueText(source, 10_000)).toEqual({ text, isCut: false, cutFrom: null });
  });

  it('is cut between characters, and says so', () => {
    expect(valueText(JSON.stringify('a😀b'), 2)).toEqual({ text: 'a', isCut: true, cutFrom: 4 });
    expect(valueText(JSON.stringify(['abc', 'def']), 7)).toEqual({
      text: '- abc\n-',
      isCut: true,
      cutFrom: null,
    });
    expect(valueText(JSON.stringify(['abc', 'def']), 5)).toEqual({
      text: '- abc',
      isCut: true,
      cutFrom: null,
    });
  });

  it('of nested data never is longer than its bound, and holds every number when it was not cut', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 400 }), (value, maxChars) => {
        const { text, isCut } = valueText(JSON.stringify([value], null, 1), maxChars);
        expect(text.length).toBeLessThanOrEqual(maxChars);
        if (isCut) return;
        for (const number of numbersIn(value)) expect(text).toContain(JSON.stringify(number));
      }),
    );
  });

  it('costs no more than a look at one that is huge', () => {
    const long = JSON.stringify({ a: 'x\r\n'.repeat(300_000) });
    expect(valueText(long, 100)).toMatchObject({ isCut: true });
    expect(shown(long, 100).length).toBeLessThanOrEqual(100);
    expect(valueText(`${'['.repeat(5_000)}${']'.repeat(5_000)}`, 10_000).isCut).toBe(true);
  });
});
