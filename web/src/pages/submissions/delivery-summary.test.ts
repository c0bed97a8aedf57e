import { describe, expect, it } from 'vitest';
import { summariesOf, summaryOf } from './delivery-summary.js';

describe('how deliveries stand', () => {
  it('is told by the worst of them', () => {
    expect(summaryOf([])).toBeNull();
    expect(summaryOf([{ state: 'delivered' }, { state: 'pending' }])).toEqual({
      state: 'pending',
      delivered: 1,
      total: 2,
    });
    expect(summaryOf([{ state: 'pending' }, { state: 'failed' }])?.state).toBe('failed');
    expect(summaryOf([{ state: 'delivered' }])?.state).toBe('delivered');
  });

  it('is counted for each submission, but not for one that the list has not finished', () => {
    const rows = [
      { submission_id: 'b', state: 'delivered' as const },
      { submission_id: 'b', state: 'delivered' as const },
      { submission_id: 'a', state: 'failed' as const },
    ];
    expect([...summariesOf(rows, true).keys()]).toEqual(['b', 'a']);
    expect([...summariesOf(rows, false).keys()]).toEqual(['b']);
    expect(summariesOf(rows, true).get('b')).toEqual({ state: 'delivered', delivered: 2, total: 2 });
  });
});
