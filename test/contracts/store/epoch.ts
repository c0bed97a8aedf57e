/** The epoch of a database: only stores with the same epoch get anything to send. */
import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import type { Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness } from './harness.js';
import { aMailOf, anEntry, epoch, madePlace, nextInstant } from './samples.js';

const nothing = { deliveries: 0, mails: 0, replays: 0 };
const lease = { token: 'token', owner: 'owner', until: epoch + 60_000 };

/** Stores something of each kind that is due. The result counts how much of it a store may claim. */
async function dueIn(store: Store) {
  const place = await madePlace(store);
  const plain = anEntry(place, { deliveries: 1 });
  const deliveries = plain.deliveries.map(
    (one) => ({ ...one, state: 'pending', nextAttemptAt: epoch }) as const,
  );
  const mail = aMailOf(place, plain, { nextAttemptAt: epoch });
  await store.commit([{ ...plain, deliveries: [...deliveries, mail] }]);
  const replay = {
    id: newId(nextInstant()),
    accountId: place.accountId,
    formId: place.form.id,
    projectId: null,
    destinationId: null,
    filter: null,
    since: null,
    until: epoch,
    deliveryState: 'failed',
    perMinute: 60,
    state: 'running',
    total: 1,
    sent: 0,
    afterId: '',
    createdAt: epoch,
    finishedAt: null,
  } as const;
  await store.replays.create(replay);
  const picks = [...deliveries, mail].map(({ lane, queue }) => ({ lane, queue, limit: 10 }));
  return async (claiming: Store) => {
    const { found } = await claiming.queue.runCycle({
      records: [],
      releases: [],
      unconfirmed: [],
      picks,
      lease,
      now: epoch + 1,
    });
    return {
      deliveries: found[0]?.due.length,
      mails: found[1]?.due.length,
      replays: await claiming.replays.hold(replay.id, ''),
    };
  };
}

export function epochContract(make: MakeHarness): void {
  describe('the epoch', () => {
    const harness = fresh(make);
    const blocked = { deliveries: 0, mails: 0, replays: false };

    it('of a store that has another one than the database keeps it from claiming', async () => {
      const { store, another } = harness();
      const raised = await another({ epoch: 1 });
      const claim = await dueIn(store);
      expect(await claim(raised)).toEqual(blocked);
      expect(await claim(store)).toEqual({ deliveries: 1, mails: 1, replays: true });
      await raised.close();
    });

    it('that is raised holds what is pending once, and lets what comes afterwards go', async () => {
      const { store, another } = harness();
      const [raised, twin] = [await another({ epoch: 2 }), await another({ epoch: 2 })];
      const claimOld = await dueIn(store);
      expect(await store.enterEpoch('held: because', epoch)).toEqual({ kind: 'current' });
      const entries = await Promise.all(
        [raised, twin].map((one) => one.enterEpoch('held: because', epoch + 5)),
      );
      expect(entries.filter(({ kind }) => kind === 'entered')).toEqual([
        { kind: 'entered', held: { deliveries: 1, mails: 1, replays: 1 } },
      ]);
      expect(entries.filter(({ kind }) => kind === 'current')).toHaveLength(1);
      expect(await store.pendingSends()).toEqual(nothing);
      expect(await claimOld(raised)).toEqual(blocked);
      const claimNew = await dueIn(store);
      expect(await store.enterEpoch('held: because', epoch)).toEqual({ kind: 'behind', stored: 2 });
      expect(await claimNew(store)).toEqual(blocked);
      expect(await twin.enterEpoch('held: because', epoch)).toEqual({ kind: 'current' });
      expect(await claimNew(twin)).toMatchObject({ deliveries: 1, mails: 1, replays: true });
      await raised.close();
      await twin.close();
    });

    it('that is raised holds more than fits into one step', async () => {
      const { store, another } = harness();
      const place = await madePlace(store);
      const entries = Array.from({ length: 601 }, () => {
        const plain = anEntry(place, { deliveries: 2 });
        const deliveries = plain.deliveries.map(
          (one) => ({ ...one, state: 'pending', nextAttemptAt: epoch }) as const,
        );
        return { ...plain, deliveries };
      });
      await store.commit(entries);
      const raised = await another({ epoch: 1 });
      expect(await raised.enterEpoch('held: because', epoch + 5)).toEqual({
        kind: 'entered',
        held: { deliveries: 1202, mails: 0, replays: 0 },
      });
      expect(await store.pendingSends()).toEqual(nothing);
      const [last] = (await store.deliveries.listBySubmission(entries.at(-1)?.submission.id ?? '')).slice(-1);
      expect(last).toMatchObject({ state: 'failed', attempt: 1, attempts: [{ error: 'held: because' }] });
      await raised.close();
    });
  });

  describe('the last backup', () => {
    const harness = fresh(make);

    it('is asked for once there is something to lose, and remembered', async () => {
      const { store } = harness();
      expect(await store.lastBackupAt()).toBeNull();
      const place = await madePlace(store);
      await store.commit([anEntry(place)]);
      expect(await store.lastBackupAt()).toBe(0);
      await store.recordBackup(epoch);
      await store.recordBackup(epoch + 1);
      expect(await store.lastBackupAt()).toBe(epoch + 1);
    });
  });
}
