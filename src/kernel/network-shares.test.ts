import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networksAround } from './addresses.js';
import { NetworkCounts, NetworkShares } from './network-shares.js';

const limits = { total: 256, narrow: 32, middle: 40, wide: 48 };
const ipv4 = (n: number, host = 1): readonly string[] => networksAround(`198.18.${n}.${host}`);

/** How much one client gets when it takes one at a time. */
function drain(shares: NetworkShares, networks: readonly string[]): number {
  let taken = 0;
  while (shares.take(networks, 1)) taken += 1;
  return taken;
}

describe('NetworkShares', () => {
  it('takes what fits, refuses what does not, and takes again what was given back', () => {
    const shares = new NetworkShares({ total: 10, narrow: 10, middle: 10, wide: 10 });
    const [a, b] = [ipv4(1), ipv4(2)];
    expect([shares.take(a, 6), shares.take(b, 5), shares.used]).toEqual([true, false, 6]);
    shares.giveBack(a, 6);
    expect([shares.take(a, 10), shares.used]).toEqual([true, 10]);
  });

  it('limits an address, and the addresses of a /24 together', () => {
    const shares = new NetworkShares(limits);
    const taken = [1, 2, 3, 4].map((host) => drain(shares, ipv4(1, host)));
    expect(taken).toEqual([32, 16, 0, 0]);
    expect(shares.isExhausted(ipv4(1, 3), 1)).toBe(true);
    expect(shares.isExhausted(ipv4(2), 1)).toBe(false);
    expect(drain(shares, ipv4(2))).toBe(32);
  });

  it('limits a /64, the /64s of a /56 together, and the /56s of a /48 together', () => {
    const shares = new NetworkShares(limits);
    const taken = ['100', '101', '102', '200', '300'].map((subnet) =>
      drain(shares, networksAround(`2001:db8:1:${subnet}::1`)),
    );
    expect(taken).toEqual([32, 8, 0, 8, 0]);
    expect(drain(shares, networksAround('2001:db8:2::1'))).toBe(32);
  });

  it.each([
    [8, 48],
    [16, 6],
  ])('after %i greedy networks at least %i are left for others', (greedy, least) => {
    const shares = new NetworkShares(limits);
    for (let n = 0; n < greedy; n += 1) drain(shares, ipv4(n));
    // More rounds change nothing: the rest is for networks that hold less.
    for (let n = 0; n < greedy; n += 1) expect(drain(shares, ipv4(n))).toBe(0);
    expect(limits.total - shares.used).toBeGreaterThanOrEqual(least);
    for (let n = 0; n < least; n += 1) expect(shares.take(ipv4(100 + n), 1)).toBe(true);
  });

  it('is used up to the last by those who hold nothing', () => {
    const shares = new NetworkShares(limits);
    const taken = Array.from({ length: 300 }, (_, n) =>
      shares.take(networksAround(`10.${n >> 8}.${n & 255}.1`), 1),
    );
    expect(taken.filter(Boolean)).toHaveLength(limits.total);
  });

  it('knows who fits in the place of another: at a limit one of the same network, else anybody', () => {
    const shares = new NetworkShares(limits);
    drain(shares, ipv4(1));
    expect(shares.fits(ipv4(1), 1, ipv4(1))).toBe(true);
    expect(shares.fits(ipv4(1), 1, ipv4(1, 2))).toBe(false);
    for (let n = 2; !shares.isUsedUp; n += 1) shares.take(ipv4(n), 1);
    expect(shares.fits(ipv4(0), 1)).toBe(false);
    expect(shares.fits(ipv4(0), 1, ipv4(1))).toBe(true);
    expect(shares.fits(ipv4(2), 1, ipv4(2))).toBe(true);
    // Several times what the network holds must be left.
    expect(shares.fits(ipv4(2), 1, ipv4(1))).toBe(false);
    expect(shares.fits(ipv4(1), 1, ipv4(1))).toBe(false);
  });

  it('never counts wrong, and remembers nothing of those who gave all back', () => {
    const step = fc.record({ n: fc.nat(3), host: fc.nat(2), amount: fc.integer({ min: 1, max: 40 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const shares = new NetworkShares(limits);
        const held: { networks: readonly string[]; amount: number }[] = [];
        for (const { n, host, amount } of steps) {
          const networks = ipv4(n, host);
          if (shares.take(networks, amount)) held.push({ networks, amount });
          const sum = (network: string): number =>
            held.reduce((all, one) => all + (one.networks.includes(network) ? one.amount : 0), 0);
          for (const [level, network] of networks.entries()) {
            expect(shares.heldBy(network)).toBe(sum(network));
            expect(shares.heldBy(network)).toBeLessThanOrEqual(level === 0 ? limits.narrow : limits.wide);
          }
          expect(shares.used).toBeLessThanOrEqual(limits.total);
        }
        for (const { networks, amount } of held) shares.giveBack(networks, amount);
        expect(shares.used).toBe(0);
        for (const { networks } of held) {
          for (const network of networks) expect(shares.heldBy(network)).toBe(0);
        }
      }),
    );
  });
});

it('NetworkCounts compares what the widest networks hold, then the narrower ones', () => {
  const counts = new NetworkCounts();
  counts.add(ipv4(1, 1), 2);
  counts.add(ipv4(1, 2), 1);
  counts.add(ipv4(2), 3);
  expect(counts.compare(ipv4(1, 2), ipv4(3))).toBeGreaterThan(0);
  expect(counts.compare(ipv4(1, 1), ipv4(1, 2))).toBeGreaterThan(0);
  expect(counts.compare(ipv4(1, 1), ipv4(2))).toBeLessThan(0);
  expect(counts.compare(ipv4(3), networksAround('2001:db8::1'))).toBe(0);
  counts.remove(ipv4(2), 3);
  expect(counts.compare(ipv4(2), ipv4(3))).toBe(0);
});
