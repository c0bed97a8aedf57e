import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import type { SuppressedAddress } from '../../../src/model/suppression.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import { madePlace, nextInstant } from './samples.js';

function aSuppressed(accountId: string, some: Partial<SuppressedAddress> = {}): SuppressedAddress {
  const createdAt = nextInstant();
  const about = { reason: 'bounced', detail: '550 5.1.1 no such user' } as const;
  return {
    ...{ id: newId(createdAt), accountId, destinationId: null, address: 'ada@x.test', createdAt },
    ...about,
    ...some,
  };
}

const all = { limit: 100, after: null };

export function suppressionsContract(make: MakeHarness): void {
  describe('suppressed addresses', () => {
    const harness = shared(make);

    it('count for one destination, or for all of the account, however they are spelt', async () => {
      const { store } = harness();
      const { accountId } = await madePlace(store);
      const [one, other] = [newId(nextInstant()), newId(nextInstant())];
      const everywhere = aSuppressed(accountId);
      const unsubscribed = aSuppressed(accountId, {
        address: 'Bob@x.test',
        destinationId: one,
        reason: 'unsubscribed',
        detail: '',
      });
      await store.suppressions.add(everywhere);
      await store.suppressions.add(unsubscribed);
      const asked = ['ADA@x.test', 'bob@X.test', 'cleo@x.test'];
      const found = await store.suppressions.among(accountId, one, asked);
      expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        everywhere,
        { ...unsubscribed, address: 'bob@x.test' },
      ]);
      expect(await store.suppressions.among(accountId, other, asked)).toEqual([everywhere]);
      expect(await store.suppressions.among(accountId, one, [])).toEqual([]);
    });

    it('are kept once for each destination: the first reason stays', async () => {
      const { store } = harness();
      const { accountId } = await madePlace(store);
      const first = aSuppressed(accountId);
      await store.suppressions.add(first);
      await store.suppressions.add(aSuppressed(accountId, { address: 'ADA@x.test', reason: 'complained' }));
      expect(await store.suppressions.list(accountId, null, all)).toEqual([first]);
      const ofOne = aSuppressed(accountId, { destinationId: newId(nextInstant()) });
      await store.suppressions.add(ofOne);
      expect(await store.suppressions.list(accountId, 'Ada@x.test', all)).toEqual([ofOne, first]);
    });

    it('are listed newest first, in pages, and by address', async () => {
      const { store } = harness();
      const { accountId } = await madePlace(store);
      const made = ['a@x.test', 'b@x.test', 'c@x.test'].map((address) => aSuppressed(accountId, { address }));
      for (const one of made) await store.suppressions.add(one);
      const [a, b, c] = made;
      expect(await store.suppressions.list(accountId, null, { limit: 2, after: null })).toEqual([c, b]);
      expect(await store.suppressions.list(accountId, null, { limit: 2, after: b?.id ?? '' })).toEqual([a]);
      expect(await store.suppressions.list(accountId, 'B@x.test', all)).toEqual([b]);
      expect(await store.suppressions.list(accountId, 'x.test', all)).toEqual([]);
    });

    it('are lifted by their own account only', async () => {
      const { store } = harness();
      const [mine, other] = [await madePlace(store), await madePlace(store)];
      const destinationId = newId(nextInstant());
      const one = aSuppressed(mine.accountId);
      const ofDestination = aSuppressed(mine.accountId, { destinationId });
      await store.suppressions.add(one);
      await store.suppressions.add(ofDestination);
      expect(await store.suppressions.among(other.accountId, destinationId, [one.address])).toEqual([]);
      expect(await store.suppressions.list(other.accountId, null, all)).toEqual([]);
      expect(await store.suppressions.lift(other.accountId, one.id)).toBe(false);
      expect(await store.suppressions.liftAddress(other.accountId, destinationId, one.address)).toBe(false);
      expect(await store.suppressions.liftAddress(mine.accountId, destinationId, 'ADA@x.test')).toBe(true);
      expect(await store.suppressions.list(mine.accountId, null, all)).toEqual([one]);
      expect(await store.suppressions.lift(mine.accountId, one.id)).toBe(true);
      expect(await store.suppressions.lift(mine.accountId, one.id)).toBe(false);
    });
  });

  describe('caps of mails', () => {
    const harness = fresh(make);
    const caps = (form: number, address: number) => [
      { key: 'form', most: form },
      { key: 'address', most: address },
    ];

    it('let so many through in a day, and name the one that is reached', async () => {
      const { mailCaps } = harness().store;
      expect(await mailCaps.take('1', 7, caps(3, 2))).toBeNull();
      expect(await mailCaps.take('2', 7, caps(3, 2))).toBeNull();
      expect(await mailCaps.take('3', 7, caps(3, 2))).toMatchObject({ key: 'address' });
      // Nothing was counted for the one that was over the cap.
      expect(await mailCaps.take('4', 7, caps(3, 9))).toBeNull();
      expect(await mailCaps.take('5', 7, caps(3, 9))).toMatchObject({ key: 'form' });
      expect(await mailCaps.take('6', 8, caps(3, 2))).toBeNull();
    });

    it('count a delivery once a day, however often it is tried', async () => {
      const { mailCaps } = harness().store;
      for (let tries = 0; tries < 3; tries += 1) expect(await mailCaps.take('1', 7, caps(1, 1))).toBeNull();
      expect(await mailCaps.take('1', 8, caps(1, 1))).toBeNull();
      expect(await mailCaps.take('2', 8, caps(1, 1))).toMatchObject({ key: 'form' });
    });

    it('hold when several processes count at the same moment', async () => {
      const { store, another } = harness();
      const other = await another();
      try {
        const tries = Array.from({ length: 60 }, (_, n) =>
          (n % 2 ? other : store).mailCaps.take(`${n}`, 7, [
            { key: 'form', most: 25 },
            { key: `address ${n % 12}`, most: 2 },
          ]),
        );
        const results = await Promise.all(tries);
        // Each of twelve addresses twice: 24 of the 25 that the form may send.
        expect(results.filter((cap) => cap === null)).toHaveLength(24);
        expect(await other.mailCaps.take('last', 7, [{ key: 'form', most: 25 }])).toBeNull();
        expect(await store.mailCaps.take('too many', 7, [{ key: 'form', most: 25 }])).not.toBeNull();
      } finally {
        await other.close();
      }
    });

    it('are forgotten after their day', async () => {
      const { mailCaps, purge } = harness().store;
      await mailCaps.take('1', 7, caps(1, 1));
      expect(await purge.purgeMailCapsStep(7)).toBe(false);
      expect(await mailCaps.take('2', 7, caps(1, 1))).not.toBeNull();
      expect(await purge.purgeMailCapsStep(8)).toBe(true);
      expect(await purge.purgeMailCapsStep(8)).toBe(false);
      expect(await mailCaps.take('2', 7, caps(1, 1))).toBeNull();
    });
  });
}
