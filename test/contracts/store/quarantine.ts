/** Quarantined spam: stored beside the submissions, never among them. */

import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { wholeAccount } from '#inlet/model/reach.js';
import { StoreConflict } from '#inlet/ports/store.js';
import type { Quarantined } from '../../../src/model/quarantine.js';
import { noFilter } from '../../../src/model/submission.js';
import type { Store } from '../../../src/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import { anEntry, day, madePlace, nextInstant, type Place } from './samples.js';

const aHeld = (place: Place, some: Partial<Quarantined> = {}): Quarantined => {
  const createdAt = some.createdAt ?? nextInstant();
  return {
    id: newId(createdAt),
    formId: place.form.id,
    projectId: place.project.id,
    data: '{"b":1,"a":"ü"}',
    metadata: {
      ip: '192.0.2.9',
      userAgent: 'Robot',
      submittedFrom: 'https://example.com/',
      controlFields: null,
    },
    field: '_gotcha',
    filesDropped: 2,
    createdAt,
    ...some,
  };
};

const hold = async (store: Store, place: Place, some: Partial<Quarantined> = {}): Promise<Quarantined> => {
  const quarantined = aHeld(place, some);
  await store.commit([{ quarantined, idempotency: null }]);
  return quarantined;
};

const all = { limit: 100, after: null };

export function quarantineContract(make: MakeHarness): void {
  describe('quarantine', () => {
    const harness = shared(make);

    it('is committed together with submissions, whole, and is not a submission', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const quarantined = aHeld(place);
      const entry = anEntry(place, { deliveries: 1 });
      await store.commit([entry, { quarantined, idempotency: null }]);
      expect(await store.quarantine.find(wholeAccount(place.accountId), quarantined.id)).toEqual(quarantined);
      expect(await store.submissions.find(wholeAccount(place.accountId), quarantined.id)).toBeNull();
      const scope = { kind: 'form', formId: place.form.id } as const;
      const { items } = await store.submissions.list(scope, noFilter, all);
      expect(items.map(({ id }) => id)).toEqual([entry.submission.id]);
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
        1,
      );
    });

    it('is removed by ids, or the oldest first, of one account', async () => {
      const { store } = harness();
      const [place, outsider] = [await madePlace(store), await madePlace(store)];
      const held = [];
      for (let n = 0; n < 5; n += 1) held.push(await hold(store, place));
      const [first = '', second = '', , fourth = '', fifth = ''] = held.map(({ id }) => id);
      const { quarantine } = store;
      const left = async () =>
        (await quarantine.list(wholeAccount(place.accountId), null, all)).items.map(({ id }) => id);
      expect(await quarantine.removeSome(wholeAccount(outsider.accountId), [first, second])).toBe(0);
      expect(await quarantine.removeSome(wholeAccount(place.accountId), [])).toBe(0);
      expect(await quarantine.removeSome(wholeAccount(place.accountId), [second, newId(0)])).toBe(1);
      const later = nextInstant();
      const newer = await hold(store, place);
      expect(await quarantine.removeOldest(wholeAccount(outsider.accountId), null, later, 9)).toBe(0);
      expect(await quarantine.removeOldest(wholeAccount(place.accountId), outsider.form.id, later, 9)).toBe(
        0,
      );
      expect(await quarantine.removeOldest(wholeAccount(place.accountId), place.form.id, later, 2)).toBe(2);
      expect(await left()).toEqual([newer.id, fifth, fourth]);
      expect(await quarantine.removeOldest(wholeAccount(place.accountId), null, later, 9)).toBe(2);
      expect(await left()).toEqual([newer.id]);
    });

    it('is refused with the whole batch when its form is not there', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entry = anEntry(place);
      const quarantined = aHeld(place, { formId: newId(nextInstant()) });
      await expect(store.commit([entry, { quarantined, idempotency: null }])).rejects.toThrow(
        new StoreConflict('reference').message,
      );
      expect(await store.submissions.find(wholeAccount(place.accountId), entry.submission.id)).toBeNull();
    });

    it('remembers its key like a submission does', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const quarantined = aHeld(place);
      const idempotency = {
        formId: place.form.id,
        key: 'k',
        bodyHash: 'h',
        submissionId: quarantined.id,
        files: '[]',
        expiresAt: nextInstant() + day,
      };
      await store.commit([{ quarantined, idempotency }]);
      expect(await store.submissions.findIdempotent(place.form.id, 'k')).toEqual(idempotency);
      const again = { quarantined: aHeld(place), idempotency };
      await expect(store.commit([again])).rejects.toBeInstanceOf(StoreConflict);
    });

    it('is listed newest first, page by page, of one form or of all of an account, of no other account', async () => {
      const { store } = harness();
      const [place, other] = [await madePlace(store), await madePlace(store)];
      const held = [await hold(store, place), await hold(store, place), await hold(store, place)];
      await hold(store, other);
      const newest = held.map(({ id }) => id).reverse();
      for (const formId of [place.form.id, null]) {
        const first = await store.quarantine.list(wholeAccount(place.accountId), formId, {
          limit: 2,
          after: null,
        });
        expect(first.items.map(({ id }) => id)).toEqual(newest.slice(0, 2));
        expect(first.next).toBe(newest[1]);
        const rest = await store.quarantine.list(wholeAccount(place.accountId), formId, {
          limit: 2,
          after: first.next,
        });
        expect(rest.items.map(({ id }) => id)).toEqual(newest.slice(2));
        expect(rest.next).toBeNull();
      }
      expect((await store.quarantine.list(wholeAccount(other.accountId), place.form.id, all)).items).toEqual(
        [],
      );
      expect(await store.quarantine.find(wholeAccount(other.accountId), held[0]?.id ?? '')).toBeNull();
    });

    it('cuts a page that would be too large, and goes on after it', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const data = JSON.stringify({ text: 'x'.repeat(1_500_000) });
      for (let i = 0; i < 5; i += 1) await hold(store, place, { data });
      const ids = new Set<string>();
      for (let after: string | null = null; ; ) {
        const page = await store.quarantine.list(wholeAccount(place.accountId), place.form.id, {
          ...all,
          after,
        });
        expect(page.items.length).toBeLessThan(5);
        for (const { id } of page.items) ids.add(id);
        after = page.next;
        if (after === null) break;
      }
      expect(ids.size).toBe(5);
    });

    it('is taken out once, and in one transaction with the submission that it becomes', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const held = await hold(store, place);
      const entry = anEntry(place, { deliveries: 1 });
      await expect(
        store.tx(async (tx) => {
          await tx.quarantine.remove(held.id);
          await tx.submissions.create(entry);
          throw new Error('changed my mind');
        }),
      ).rejects.toThrow('changed my mind');
      expect(await store.quarantine.find(wholeAccount(place.accountId), held.id)).toEqual(held);
      await store.tx(async (tx) => {
        expect(await tx.quarantine.remove(held.id)).toBe(true);
        await tx.submissions.create(entry);
      });
      expect(await store.quarantine.remove(held.id)).toBe(false);
      expect(await store.submissions.find(wholeAccount(place.accountId), entry.submission.id)).toMatchObject({
        id: entry.submission.id,
      });
      expect(await store.deliveries.listBySubmission(entry.submission.id)).toHaveLength(1);
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
        1,
      );
    });

    it('is removed by its age, and beyond what a form may have there the oldest first', async () => {
      const { store } = harness();
      const [place, other] = [await madePlace(store), await madePlace(store)];
      const old = await hold(store, place, { createdAt: nextInstant() - 40 * day });
      const kept = [await hold(store, place), await hold(store, place), await hold(store, place)];
      const alone = await hold(store, other);
      const before = nextInstant() - 30 * day;
      while (await store.purge.purgeQuarantineStep(before, { perForm: 1_000, textPerForm: 1e9 }));
      expect(await store.quarantine.find(wholeAccount(place.accountId), old.id)).toBeNull();
      expect((await store.quarantine.list(wholeAccount(place.accountId), null, all)).items).toHaveLength(3);
      while (await store.purge.purgeQuarantineStep(before, { perForm: 2, textPerForm: 1e9 }));
      const left = (await store.quarantine.list(wholeAccount(place.accountId), null, all)).items.map(
        ({ id }) => id,
      );
      expect(left).toEqual([kept[2]?.id, kept[1]?.id]);
      const textPerForm = (kept[2]?.data.length ?? 0) + 1;
      while (await store.purge.purgeQuarantineStep(before, { perForm: 1_000, textPerForm }));
      const least = (await store.quarantine.list(wholeAccount(place.accountId), null, all)).items.map(
        ({ id }) => id,
      );
      expect(least).toEqual([kept[2]?.id]);
      expect(await store.quarantine.find(wholeAccount(other.accountId), alone.id)).not.toBeNull();
    });

    it('goes with its form', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const held = await hold(store, place);
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.quarantine.find(wholeAccount(place.accountId), held.id)).toBeNull();
      expect((await store.quarantine.list(wholeAccount(place.accountId), null, all)).items).toEqual([]);
      while (await store.purge.purgeDeletedStep(nextInstant()));
      expect(await store.quarantine.remove(held.id)).toBe(false);
    });
  });
}
