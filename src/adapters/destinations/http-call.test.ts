import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { masked, retryAfterMs } from './http-call.js';

const now = Date.UTC(2026, 9, 21, 7, 28, 0);
const dayMs = 24 * 60 * 60_000;

describe('retryAfterMs', () => {
  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['86400', dayMs],
    ['86401', dayMs],
    ['999999999', dayMs],
    ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
    ['Wed, 21 Oct 2099 07:28:00 GMT', dayMs],
    // Neither a positive number of seconds nor a date in the future.
    ['Wed, 21 Oct 2026 07:27:59 GMT', null],
    ['0', null],
    ['-5', null],
    ['', null],
    ['soon', null],
    ['99999999999999999999', null],
    [null, null],
  ])('of %j is %j', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });

  it('is nothing, or more than nothing and at most a day', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const ms = retryAfterMs(header, now);
        expect(ms === null || (ms > 0 && ms <= dayMs)).toBe(true);
      }),
    );
  });
});

describe('masked', () => {
  it.each([
    ['https://example.com/s3cret/x', ['s3cret'], 'https://example.com/•••/x'],
    ['s3cret and s3crets3cret', ['s3cret'], '••• and ••••••'],
    ['a.*b $& a.*b', ['a.*b'], '••• $& •••'],
    ['one two', ['one', 'two'], '••• •••'],
    ['nothing', ['', 'other'], 'nothing'],
    ['nothing', [], 'nothing'],
  ])('%j without %j is %j', (text, secrets, shown) => {
    expect(masked(text, secrets)).toBe(shown);
  });

  it('leaves no secret in any text', () => {
    const secret = fc.string({ minLength: 1 }).filter((text) => !text.includes('•'));
    fc.assert(
      fc.property(secret, fc.array(fc.string()), (hidden, parts) => {
        expect(masked(parts.join(hidden), [hidden])).not.toContain(hidden);
      }),
    );
  });
});
