/** The networks that an address stands for, because whoever has one address often has all of its network. */
import { memoised, parseNetwork } from './addresses.js';

/** One subscriber usually has a /64, many providers give a /56, and an organisation a /48. */
const ipv6Lengths = [48, 56, 64];
const ipv4Lengths = [24, 32];

/** Widest first. The last one is what `rateKey` counts by. */
export const networksOf: (canonical: string) => readonly string[] = memoised((canonical) =>
  (canonical.includes(':') ? ipv6Lengths : ipv4Lengths).map(
    (length) => parseNetwork(`${canonical}/${length}`)?.text ?? canonical,
  ),
);
