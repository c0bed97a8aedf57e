import { describe, expect, it } from 'vitest';
import { summaryOf } from './folded-data.js';

describe('summaryOf', () => {
  it('begins with who wrote', () => {
    const data = { topic: 'Sales', message: 'Hello\n there', email: 'ada@example.com', name: 'Ada' };
    expect(summaryOf(data)).toEqual(['Ada', 'ada@example.com', 'Hello there']);
  });

  it('takes what there is, in the order it came', () => {
    expect(summaryOf({ a: '1', empty: ' ', none: null, b: ['x', 2] })).toEqual(['1', '["x",2]']);
    expect(summaryOf({})).toEqual([]);
  });

  it.each(['', 'a'])('stays one short line, and never half a character: after "%s"', (before) => {
    const [line = ''] = summaryOf({ message: before + '😀'.repeat(500) });
    expect(line.length).toBeLessThanOrEqual(161);
    expect(encodeURIComponent(line)).toContain('%F0%9F%98%80%E2%80%A6');
  });
});

// Twenty-six of these, serialized in full on every key press, once froze the page for fourteen seconds.
describe('what a visitor makes large', () => {
  /** A list that counts the reads of its elements. */
  function watched(list: readonly unknown[]) {
    const seen = { count: 0 };
    const proxy = new Proxy(list, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) seen.count += 1;
        return Reflect.get(target, key);
      },
    });
    return { proxy, seen };
  }

  it.each([0, 29])('looks only at the beginning of half a million numbers, %i lists deep', (depth) => {
    const { proxy, seen } = watched(new Array(500_000).fill(1));
    let value: unknown = proxy;
    for (let level = 0; level < depth; level += 1) value = [value];
    const [line = '', ...others] = summaryOf({ numbers: value });
    expect(others).toEqual([]);
    expect(line).toMatch(/^\[+1,1,.*…$/);
    expect(line.length).toBeLessThanOrEqual(161);
    expect(seen.count).toBeGreaterThan(0);
    expect(seen.count).toBeLessThan(400);
  });

  it('looks only at the first of many fields', () => {
    let reads = 0;
    const blank = Object.fromEntries(Array.from({ length: 990 }, (_, place) => [`f${place}`, ' ']));
    const data = new Proxy<Record<string, unknown>>(
      { ...blank, name: 'Ada' },
      {
        get(target, key) {
          reads += 1;
          return Reflect.get(target, key);
        },
      },
    );
    expect(summaryOf(data)).toEqual([]);
    expect(reads).toBe(60);
  });
});
