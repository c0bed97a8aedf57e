import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitted, fittedAll } from './chat-summary.js';

const doubled = (text: string): string => text.replace(/[*\\]/g, '\\$&');

describe('shortening', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['a*b', 3, 'a…'],
    ['a*', 3, 'a\\*'],
    ['😀😀😀', 5, '😀😀…'],
    ['😀😀😀', 4, '😀…'],
  ])('%s to %i', (text, maxChars, expected) => {
    expect(fitted(text, maxChars, doubled)).toBe(expected);
  });

  it('takes only from the longest', () => {
    expect(fittedAll(['ab', 'x'.repeat(50), 'y'.repeat(60)], { together: 22, each: 30 }, doubled)).toEqual([
      'ab',
      `${'x'.repeat(9)}…`,
      `${'y'.repeat(9)}…`,
    ]);
    expect(fittedAll(['x'.repeat(50)], { together: 100, each: 30 }, doubled)[0]).toHaveLength(30);
  });

  it('keeps to both limits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }),
        fc.integer({ min: 40, max: 200 }),
        (texts, together) => {
          const shown = fittedAll(texts, { together, each: 30 }, doubled);
          expect(shown.join('').length).toBeLessThanOrEqual(together);
          expect(Math.max(0, ...shown.map((text) => text.length))).toBeLessThanOrEqual(30);
          for (const text of shown) expect(text.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
