import { describe, expect, it } from 'vitest';
import { fieldsOf, summaryOf, textOf } from './folded-data.js';

describe('summaryOf', () => {
  it('begins with who wrote', () => {
    const data = { topic: 'Sales', message: 'Hello\n there', email: 'ada@example.com', name: 'Ada' };
    expect(summaryOf(data)).toEqual(['Ada', 'ada@example.com', 'Hello there']);
  });

  it('takes what there is, in the order it came', () => {
    expect(summaryOf({ a: '1', empty: ' ', b: ['x', 2] })).toEqual(['1', '[ "x", 2 ]']);
    expect(summaryOf({})).toEqual([]);
    expect(summaryOf(null)).toEqual([]);
  });

  it('stays one short line, and never half a character', () => {
    const [line = ''] = summaryOf({ message: '😀'.repeat(500) });
    expect(line.length).toBeLessThan(165);
    expect(encodeURIComponent(line)).toContain('%F0%9F%98%80%E2%80%A6');
  });
});

describe('fieldsOf', () => {
  it('shows other things than text as JSON', () => {
    expect(fieldsOf({ n: 1, t: 'x', o: { a: null } })).toEqual([
      ['n', '1'],
      ['t', 'x'],
      ['o', '{\n  "a": null\n}'],
    ]);
  });

  it('says how much is left out of a very long text', () => {
    expect(textOf('a'.repeat(20_005))).toMatch(/a… and 5 more characters$/);
  });
});
