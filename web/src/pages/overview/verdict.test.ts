import { describe, expect, it } from 'vitest';
import { verdictOf } from './verdict.js';

const day = (received: number, delivered: number, waiting = 0, failed = 0) => ({
  received,
  deliveries: { delivered, waiting, paused: 0, failed },
});
const failing = '“Webhook” of Orders is failing.';

describe('verdictOf', () => {
  it('says that all is well', () => {
    expect(verdictOf([day(1_000, 1_000), day(204, 204)], null)).toEqual({
      state: 'good',
      words: 'Everything is arriving: 1,204 received, 1,204 delivered in the last 2 days.',
    });
  });

  it('counts what waits', () => {
    expect(verdictOf([day(1_000, 990, 10), day(204, 204)], null)).toEqual({
      state: 'good',
      words: 'Deliveries are on their way: 1,204 received, 1,194 delivered, 10 waiting in the last 2 days.',
    });
  });

  it('warns of a destination that fails, whatever has arrived', () => {
    expect(verdictOf([day(1_000, 1_000)], failing)).toEqual({ state: 'warning', words: failing });
    expect(verdictOf([day(0, 0)], failing).state).toBe('warning');
  });

  it('says first what failed, of how many', () => {
    expect(verdictOf([day(10, 7, 2, 1)], null)).toEqual({
      state: 'bad',
      words: '1 of 10 deliveries failed today.',
    });
    expect(verdictOf([day(10, 9, 0, 1)], failing)).toEqual({
      state: 'bad',
      words: `1 of 10 deliveries failed today. ${failing}`,
    });
  });

  it('does not speak of deliveries where there are none, or too many to count', () => {
    expect(verdictOf([{ received: 1, deliveries: null }, day(0, 0)], null)).toEqual({
      state: 'good',
      words: '1 submission received and stored in the last 2 days.',
    });
  });

  it('does not call silence a success', () => {
    expect(verdictOf([day(0, 0), day(0, 0)], null).state).toBe('quiet');
  });
});
