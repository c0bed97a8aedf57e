import { beforeEach, describe, expect, it } from 'vitest';
import { memoryCounters } from '../../adapters/counters/memory.js';
import { attemptsPerMinute, createAttempts, delayOf, deviceAttemptsPerMinute, rulesFor } from './attempts.js';

let now: number;
let attempts: ReturnType<typeof createAttempts>;
beforeEach(() => {
  now = 1_700_000_000_000;
  const clock = { now: () => now };
  attempts = createAttempts({ clock, counters: memoryCounters(clock) });
});

const email = 'ada@example.com';
const device = { userId: 'user', id: 'device' };
const judge = async (address: string, more: Partial<Parameters<typeof attempts.judge>[0]> = {}) => {
  const verdict = await attempts.judge({ email, address, userIds: ['user'], devices: [], ...more });
  const { known, delayForOthers } = verdict;
  return known.length > 0 ? { known, delayForOthers } : { known, delayMs: await delayForOthers() };
};
const throttled = { kind: 'rate_limited' };

/** Makes `count` attempts and returns how many were not rejected. */
async function judged(count: number, attempt: (i: number) => Promise<unknown>): Promise<number> {
  let passed = 0;
  for (let i = 0; i < count; i += 1) {
    await attempt(i).then(
      () => {
        passed += 1;
      },
      (error: unknown) => expect(error).toMatchObject(throttled),
    );
  }
  return passed;
}

describe('attempts', () => {
  it('are counted by network, and by network and e-mail address, the narrowest first', () => {
    expect(rulesFor('x', '192.0.2.7')).toEqual([
      { key: 'network:192.0.2.7', most: 20 },
      { key: 'network:192.0.2.0/24', most: 120 },
      { key: 'pair:x:192.0.2.7', most: 5 },
      { key: 'pair:x:192.0.2.0/24', most: 20 },
    ]);
    expect(rulesFor('x', '2001:db8:1:ff02::7').map(({ key, most }) => [key, most])).toEqual([
      ['network:2001:db8:1:ff02::/64', 20],
      ['network:2001:db8:1:ff00::/56', 60],
      ['network:2001:db8:1::/48', 120],
      ['pair:x:2001:db8:1:ff02::/64', 5],
      ['pair:x:2001:db8:1:ff00::/56', 10],
      ['pair:x:2001:db8:1::/48', 20],
    ]);
  });

  it('on one e-mail address are slowed down, twice as long each time, up to five seconds', () => {
    expect([1, 5, 6, 7, 8, 9, 10, 11, 12, 1_000_000].map(delayOf)).toEqual([
      0, 0, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000,
    ]);
  });

  it('of one network on one e-mail address are refused above five, and say for how long', async () => {
    expect(await judged(5, () => judge('192.0.2.1'))).toBe(5);
    now += 58_500;
    await expect(judge('192.0.2.1')).rejects.toMatchObject({ ...throttled, retryAfterSeconds: 2 });
    expect(await judge('198.51.100.1')).toEqual({ known: [], delayMs: 250 });
    now += 1_500;
    expect(await judge('192.0.2.1')).toMatchObject({ delayMs: 0 });
  });

  it('of one network on all e-mail addresses are refused above twenty', async () => {
    expect(await judged(50, (i) => judge('192.0.2.1', { email: `${i}@example.com` }))).toBe(20);
    expect(await judge('192.0.2.2', { email: '49@example.com' })).toMatchObject({ delayMs: 0 });
  });

  it('are bounded for a client with many neighbouring addresses', async () => {
    expect(await judged(200, (i) => judge(`192.0.2.${i}`))).toBe(20);
    const other = { email: 'other@example.com' };
    expect(await judged(200, (i) => judge(`2001:db8:1:${i.toString(16)}::1`, other))).toBe(10);
    expect(await judged(200, (i) => judge(`2001:db8:2:${(i * 256).toString(16)}::1`, other))).toBe(20);
  });

  it('from everywhere are never refused, only slowed down', async () => {
    expect(await judged(1_000, (i) => judge(`10.${i >> 8}.${i & 255}.1`))).toBe(1_000);
    expect(await judge('192.0.2.1')).toEqual({ known: [], delayMs: 5_000 });
  });

  it('of a device that signed in before are its own: nobody on its network takes them away', async () => {
    await judged(100, () => judge('192.0.2.1'));
    await judged(100, (i) => judge(`10.0.${i}.1`));
    for (let i = 0; i < attemptsPerMinute; i += 1) {
      expect(await judge('192.0.2.1', { devices: [device] })).toMatchObject({ known: ['user'] });
    }
    // Above its limit the device counts as unknown.
    await expect(judge('192.0.2.1', { devices: [device] })).rejects.toMatchObject(throttled);
    const another = { ...device, id: 'another' };
    expect(await judge('192.0.2.1', { devices: [device, another] })).toMatchObject({ known: ['user'] });
  });

  it('of a known device are counted as any other before they are good for other users', async () => {
    const first = await attempts.judge({ email, address: '192.0.2.1', userIds: [], devices: [device] });
    expect(await judged(10, first.delayForOthers)).toBe(5);
    expect(await judge('198.51.100.1')).toMatchObject({ delayMs: 250 });
  });

  it('do not add up with the number of devices', async () => {
    const known = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        judge(`10.0.${i}.1`, { devices: [{ ...device, id: `device ${i}` }] }),
      ),
    );
    expect(known.filter((verdict) => verdict.known.length > 0)).toHaveLength(deviceAttemptsPerMinute);
  });

  it('from a network that the user signed in from are not slowed down, but counted', async () => {
    const day = 24 * 60 * 60_000;
    await attempts.succeeded({ userId: 'user', address: '2001:db8::1' });
    now += 29 * day;
    await attempts.succeeded({ userId: 'user', address: '2001:db8::1' });
    // The period starts at the last sign-in, not the first.
    now += 29 * day;
    await judged(100, (i) => judge(`10.0.${i}.1`));
    const userIds = ['older', 'user'];
    const atHome = await attempts.judge({ email, address: '2001:db8::2', userIds, devices: [] });
    expect(atHome.known).toEqual(['user']);
    // For the other user with this address the network is unknown, and this attempt has already been counted.
    expect(await atHome.delayForOthers()).toBe(5_000);
    expect(await judge('2001:db8::2', { userIds: ['older'] })).toEqual({ known: [], delayMs: 5_000 });
    expect(await judge('2001:db8:0:1::2')).toEqual({ known: [], delayMs: 5_000 });
    // An attempt alone does not make a network known.
    expect(await judge('2001:db8:0:1::2')).toMatchObject({ known: [] });
    expect(await judged(10, () => judge('2001:db8::3'))).toBe(3);
    now += 2 * day;
    await judged(100, (i) => judge(`10.0.${i}.1`));
    expect(await judge('2001:db8::2')).toMatchObject({ known: [] });
  });
});
