import { describe, expect, it } from 'vitest';
import { fresh, type MakeHarness } from './harness.js';
import { nextInstant } from './samples.js';

export function challengesContract(make: MakeHarness): void {
  describe('a challenge', () => {
    const harness = fresh(make);

    it('is spent once, for every store over the same data', async () => {
      const { store, another } = harness();
      const other = await another();
      try {
        const until = nextInstant() + 1000;
        expect(await store.challenges.spend('a', until)).toBe(true);
        expect(await store.challenges.spend('a', until)).toBe(false);
        expect(await other.challenges.spend('a', until + 1)).toBe(false);
        expect(await other.challenges.spend('A', until)).toBe(true);
      } finally {
        await other.close();
      }
    });

    it('is spent by one of many at the same moment', async () => {
      const { store, another } = harness();
      const other = await another();
      try {
        const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? other : store).challenges.spend('b', 1));
        expect((await Promise.all(tries)).filter((isFirst) => isFirst)).toHaveLength(1);
      } finally {
        await other.close();
      }
    });

    it('is forgotten when it has expired, and not before', async () => {
      const { store } = harness();
      const now = nextInstant();
      await store.challenges.spend('expired', now);
      await store.challenges.spend('valid', now + 1);
      expect(await store.purge.purgeChallengesStep(now - 1)).toBe(false);
      expect(await store.purge.purgeChallengesStep(now)).toBe(true);
      expect(await store.purge.purgeChallengesStep(now)).toBe(false);
      expect(await store.challenges.spend('expired', now)).toBe(true);
      expect(await store.challenges.spend('valid', now)).toBe(false);
    });

    it('is not spent by a transaction that is undone', async () => {
      const { store } = harness();
      const work = store.tx(async (tx) => {
        expect(await tx.challenges.spend('c', 1)).toBe(true);
        throw new Error('changed my mind');
      });
      await expect(work).rejects.toThrow('changed my mind');
      expect(await store.challenges.spend('c', 1)).toBe(true);
    });
  });
}
