import { describe, expect, it } from 'vitest';
import { verdictOf } from './verdict.js';

const day = (received: number, delivered: number, failed: number) => ({ received, delivered, failed });

describe('verdictOf', () => {
  it('says that all is well', () => {
    expect(verdictOf([day(1_000, 1_000, 0), day(204, 204, 0)])).toEqual({
      state: 'good',
      words: 'Everything is arriving: 1,204 received, 1,204 delivered in the last 2 days.',
    });
  });

  it('claims no more than that nothing failed while some are not delivered', () => {
    expect(verdictOf([day(1_000, 990, 0), day(204, 204, 0)])).toEqual({
      state: 'good',
      words: 'Nothing has failed: 1,204 received, 1,194 delivered in the last 2 days.',
    });
  });

  it('says first what failed, of how many', () => {
    expect(verdictOf([day(10, 9, 1)])).toEqual({
      state: 'bad',
      words: '1 of 10 deliveries failed today.',
    });
  });

  it('does not speak of deliveries where there are none', () => {
    expect(verdictOf([day(1, 0, 0), day(0, 0, 0)])).toEqual({
      state: 'good',
      words: '1 submission received and kept in the last 2 days.',
    });
  });

  it('does not call silence a success', () => {
    expect(verdictOf([day(0, 0, 0), day(0, 0, 0)]).state).toBe('quiet');
  });
});
