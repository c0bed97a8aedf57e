import { describe, expect, it } from 'vitest';
import { filterOf, isFiltered, rangeWords, readParams, writeParams } from './filter-params.js';

const read = (search: string) => readParams(new URLSearchParams(search));

describe('the filter in the address', () => {
  it('goes there and back', () => {
    const params = read('q=ada+love&from=2026-11-01&to=2026-11-02&webhook_state=failed');
    expect(String(writeParams(params))).toBe('q=ada+love&from=2026-11-01&to=2026-11-02&webhook_state=failed');
    expect(filterOf(params)).toEqual({
      q: 'ada love',
      // Where the reader is.
      since: new Date(2026, 10, 1).toISOString(),
      until: new Date(2026, 10, 3).toISOString(),
      webhook_state: 'failed',
    });
  });

  it('leaves out what is not there or makes no sense', () => {
    const params = read('q=%20&from=yesterday&to=2026-99-99&webhook_state=lost');
    expect(filterOf(params)).toEqual({});
    expect(isFiltered(params)).toBe(false);
  });

  it('is said in words', () => {
    expect(rangeWords('', '')).toBe('Any time');
    expect(rangeWords('2026-11-01', '')).toBe('Since 2026-11-01');
    expect(rangeWords('', '2026-11-01')).toBe('Until 2026-11-01');
    expect(rangeWords('2026-11-01', '2026-11-01')).toBe('2026-11-01');
    expect(rangeWords('2026-11-01', '2026-11-04')).toBe('2026-11-01 – 2026-11-04');
  });
});
