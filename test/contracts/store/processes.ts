/** The processes that serve one database. */
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import type { ServingProcess } from '../../../src/model/process.js';
import { type MakeHarness, shared } from './harness.js';
import { epoch } from './samples.js';

const aProcess = (changes: Partial<ServingProcess> = {}): ServingProcess => ({
  id: newId(epoch),
  role: 'all',
  host: 'east-1',
  pid: 4711,
  version: '1.2.3',
  startedAt: epoch,
  seenAt: epoch,
  ...changes,
});

export function processesContract(make: MakeHarness): void {
  describe('processes', () => {
    const harness = shared(make);
    beforeEach(() => harness().store.processes.clear());

    it('are listed as they said they are, lowest id first, until they leave', async () => {
      const { processes } = harness().store;
      const older = aProcess({ id: newId(epoch), role: 'worker', pid: 1 });
      const younger = aProcess({ id: newId(epoch + 1), role: 'api', host: 'west-2' });
      expect(await processes.list()).toEqual([]);
      expect(await processes.beat(younger)).toBe(false);
      expect(await processes.beat(older)).toBe(false);
      expect(await processes.list()).toEqual([older, younger]);
      await processes.leave(older.id);
      await processes.leave(older.id);
      expect(await processes.list()).toEqual([younger]);
    });

    it('are updated with each beat, which says whether they had been listed', async () => {
      const { processes } = harness().store;
      const one = aProcess();
      expect(await processes.beat(one)).toBe(false);
      expect(await processes.beat({ ...one, seenAt: epoch + 3 })).toBe(true);
      expect(await processes.list()).toEqual([{ ...one, seenAt: epoch + 3 }]);
      await processes.leave(one.id);
      expect(await processes.beat({ ...one, seenAt: epoch + 6 })).toBe(false);
      expect(await processes.list()).toEqual([{ ...one, seenAt: epoch + 6 }]);
    });

    it('are removed only if they have not beaten since', async () => {
      const { processes } = harness().store;
      const [silent, alive] = [aProcess(), aProcess()];
      await processes.beat(silent);
      await processes.beat(alive);
      await processes.beat({ ...alive, seenAt: epoch + 1 });
      expect(await processes.remove(alive.id, epoch)).toBe(false);
      expect(await processes.remove(silent.id, epoch)).toBe(true);
      expect(await processes.remove(silent.id, epoch)).toBe(false);
      expect((await processes.list()).map(({ id }) => id)).toEqual([alive.id]);
    });

    it('are removed by one of several who try at the same moment', async () => {
      const { store } = harness();
      const silent = aProcess();
      await store.processes.beat(silent);
      const another = await harness().another();
      try {
        const told = await Promise.all(
          [store, another, store, another].map(({ processes }) => processes.remove(silent.id, epoch)),
        );
        expect(told.filter((isOurs) => isOurs)).toHaveLength(1);
      } finally {
        await another.close();
      }
    });

    it('stay when the transaction that removed one is rolled back', async () => {
      const { store } = harness();
      const silent = aProcess();
      await store.processes.beat(silent);
      const failing = store.tx(async (tx) => {
        expect(await tx.processes.remove(silent.id, epoch)).toBe(true);
        throw new Error('cut off');
      });
      await expect(failing).rejects.toThrow('cut off');
      expect(await store.processes.list()).toEqual([silent]);
    });

    it('are forgotten all at once', async () => {
      const { processes } = harness().store;
      await processes.beat(aProcess());
      await processes.beat(aProcess());
      await processes.clear();
      expect(await processes.list()).toEqual([]);
    });
  });
}
