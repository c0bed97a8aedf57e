import { describe, expect, it } from 'vitest';
import { filterOf, isFiltered, isNarrowed, paramsOf, readParams, writeParams } from './filter-params.js';

const read = (search: string) => readParams(new URLSearchParams(search));

describe('the filter in the address', () => {
  it('goes there and back', () => {
    const params = read('q=ada+love&from=2026-11-01&to=2026-11-02&webhook_state=failed');
    expect(String(writeParams(params))).toBe('q=ada+love&from=2026-11-01&to=2026-11-02&webhook_state=failed');
    expect(filterOf(params)).toEqual({
      q: 'ada love',
      // In the user's time zone.
      since: new Date(2026, 10, 1).toISOString(),
      until: new Date(2026, 10, 3).toISOString(),
      webhook_state: 'failed',
      folder: 'inbox',
    });
  });

  it('leaves out what is not there or makes no sense', () => {
    const params = read('q=%20&from=yesterday&to=2026-99-99&webhook_state=lost');
    expect(filterOf(params)).toEqual({ folder: 'inbox' });
    expect(isFiltered(params)).toBe(false);
  });

  it.each([
    'folder=trash',
    'folder=kept&is_starred=true',
    'is_read=false&label=l1&assignee=me',
    'field.email=a%40b.c&field.plan.contains=big',
    'sort=created_at',
    'sort=-field.price',
  ])('keeps %s', (search) => {
    expect(String(writeParams(read(search)))).toBe(search);
  });

  it('asks for inbox and archive by asking for no folder', () => {
    expect(filterOf(read('folder=kept'))).toEqual({});
    expect(filterOf(read('folder=all'))).toEqual({ folder: 'all' });
  });

  it('names fields as the API does, five at most', () => {
    const six = Array.from({ length: 6 }, (_, at) => `field.f${at}=x`).join('&');
    expect(read(six).fields).toHaveLength(5);
    expect(read('field.a.b.contains=x').fields).toEqual([{ name: 'a.b', isExact: false, value: 'x' }]);
    expect(read('field.=x&field.a=').fields).toEqual([]);
  });

  it('takes newest first for no order at all', () => {
    expect(read('sort=-created_at').sort).toBeNull();
    expect(read('sort=name').sort).toBeNull();
    expect(isNarrowed(read('sort=created_at&folder=trash'))).toBe(false);
  });

  it('comes back from a saved view', () => {
    const params = read('q=ada&from=2026-11-01&to=2026-11-02&folder=kept&field.plan=big&sort=field.plan');
    expect(paramsOf(filterOf(params))).toEqual(params);
    expect(paramsOf({ folder: 'inbox', is_read: false })).toEqual(read('is_read=false'));
  });
});
