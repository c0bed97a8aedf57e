import { describe, expect, it } from 'vitest';
import { createRowCount } from './row-count.js';

const count = (format: 'csv' | 'jsonl', text: string, step: number): number => {
  const bytes = new TextEncoder().encode(text);
  const counter = createRowCount(format);
  for (let at = 0; at < bytes.length; at += step) counter.add(bytes.subarray(at, at + step));
  return counter.rows;
};

describe('the rows of an export', () => {
  it.each([1, 3, 1000])('are counted in pieces of %i bytes', (step) => {
    expect(count('csv', 'id,text\r\n1,"two\nlines and ""quotes"""\r\n2,ü\r\n', step)).toBe(2);
    expect(count('jsonl', '{"a":"\\""}\n{"b":"\\n"}\n', step)).toBe(2);
    expect(count('csv', 'id,text\r\n', step)).toBe(0);
    expect(count('csv', '', step)).toBe(0);
  });
});
