import { expect, it } from 'vitest';
import { rateKey } from './addresses.js';
import { networksOf } from './networks.js';

it.each([
  ['192.0.2.77', ['192.0.2.0/24', '192.0.2.77']],
  ['2001:db8:1:2:3:4:5:6', ['2001:db8:1::/48', '2001:db8:1::/56', '2001:db8:1:2::/64']],
  ['2001:db8:1:ff02::1', ['2001:db8:1::/48', '2001:db8:1:ff00::/56', '2001:db8:1:ff02::/64']],
  ['unknown', ['unknown', 'unknown']],
])('%s belongs to %j, widest first', (address, networks) => {
  expect(networksOf(address)).toEqual(networks);
  expect(networksOf(address).at(-1)).toBe(rateKey(address));
});
