import { describe, expect, it } from 'vitest';
import { entriesWith, isIn } from './addresses.js';

describe('isIn', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.0/24', '203.0.113.7', true],
    ['203.0.113.0/24', '203.0.114.7', false],
    ['0.0.0.0/0', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.70', false],
    ['2001:db8::/32', '2001:db8:0:1::7', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['::/0', '203.0.113.7', false],
    ['not an address', '203.0.113.7', false],
    ['203.0.113.0/24', '', false],
    ['999.0.113.0/24', '203.0.113.7', false],
  ])('%s and %s: %s', (entry, address, expected) => {
    expect(isIn(entry, address)).toBe(expected);
  });

  it('finds all entries that hold an address', () => {
    const list = ['198.51.100.1', '203.0.113.0/24', '203.0.113.7'];
    expect(entriesWith(list, '203.0.113.7')).toEqual(['203.0.113.0/24', '203.0.113.7']);
  });
});
