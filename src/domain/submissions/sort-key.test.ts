import { describe, expect, it } from 'vitest';
import { sortKey } from './sort-key.js';

const sorted = (...texts: readonly string[]): readonly string[] =>
  [...texts].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : sortKey(a) > sortKey(b) ? 1 : 0));

describe('sortKey', () => {
  it('sorts numbers by their value, before all texts', () => {
    expect(sorted('10', 'a', '9', '-2.5', '-10', '0.5', '0', '-0.25')).toEqual([
      ...['-10', '-2.5', '-0.25', '0', '0.5', '9', '10'],
      'a',
    ]);
  });

  it('has one key for the same number, however it is written', () => {
    expect(new Set([' 5', '5.0', '+5', '05'].map(sortKey)).size).toBe(1);
    expect(sortKey('-0')).toBe(sortKey('0'));
  });

  it('sorts texts regardless of case and accents', () => {
    expect(sorted('Zoe', 'émile', 'Eva', 'Änne', 'bob')).toEqual(['Änne', 'bob', 'émile', 'Eva', 'Zoe']);
    expect(sortKey('É')).toBe(sortKey('e'));
  });

  it('is empty for what shows nothing, and short for a long text', () => {
    expect(sortKey('  ')).toBe('');
    expect(sortKey('ﷺ'.repeat(1000)).length).toBeLessThanOrEqual(101);
  });

  it('takes dates, versions and huge numbers for texts', () => {
    for (const text of ['2026-01-31', '1.2.3', '1e5', '12345678901234567890'])
      expect(sortKey(text)[0]).toBe('1');
  });
});
