/** The contract of every store for digests: the comments of src/ports/digests.ts, as tests. */
import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { digestAddress, digestQueue, laneOf } from '../../../src/model/delivery.js';
import type { NewDigest } from '../../../src/ports/digests.js';
import type { NewSubmission } from '../../../src/ports/store.js';
import { fresh, type MakeHarness } from './harness.js';
import { aMailOf, anEntry, epoch, madePlace, type Place } from './samples.js';

const destinationId = newId(epoch);
const lane = laneOf('smtp', destinationId);
const dueAt = epoch + 60_000;

const anEntryThatWaits = (place: Place): NewSubmission => {
  const entry = anEntry(place);
  const waiting = {
    destinationId,
    lane,
    url: digestAddress,
    queue: digestQueue,
    nextAttemptAt: dueAt,
  } as const;
  return { ...entry, deliveries: [aMailOf(place, entry, waiting)] };
};

const digest = (some: Partial<NewDigest> = {}): NewDigest => ({
  id: newId(dueAt),
  lane,
  now: dueAt,
  nextAt: dueAt + 60_000,
  recipients: ['a@x.test', 'b@x.test'].map((address) => ({ deliveryId: newId(dueAt), address })),
  ...some,
});

export function digestsContract(make: MakeHarness): void {
  describe('digests', () => {
    const harness = fresh(make);

    const scene = async (count: number) => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries = Array.from({ length: count }, () => anEntryThatWaits(place));
      await store.commit(entries);
      const ids = entries.map(({ submission }) => submission.id);
      return { store, place, entries, ids };
    };

    it('are due when their time has come, once for each destination', async () => {
      const { store, place } = await scene(3);
      expect(await store.digests.listDue(dueAt - 1, 9)).toEqual([]);
      expect(await store.digests.listDue(dueAt, 9)).toEqual([
        {
          ...{ formId: place.form.id, projectId: place.project.id, destinationId, lane },
          ...{ kind: 'email', target: 'form', url: digestAddress },
        },
      ]);
    });

    it('take what waits, once, and become a mail for each recipient', async () => {
      const { store, ids } = await scene(3);
      const one = digest();
      const another = await harness().another();
      const made = await Promise.all([store.digests.make(one), another.digests.make(digest())]);
      expect([...made].sort()).toEqual([0, 3]);
      expect(await store.digests.listDue(dueAt, 9)).toEqual([]);
      const deliveries = await store.deliveries.listBySubmission(ids[0] ?? '');
      expect(deliveries.map(({ url, state, queue }) => `${url} ${state} ${queue}`).sort()).toEqual([
        'a@x.test pending 5',
        'b@x.test pending 5',
        'digest delivered 6',
      ]);
      const heads = await store.queue.heads();
      expect(heads).toEqual([{ lane, queue: 5, dueAt }]);
    });

    it('know what they are about, without what was deleted or set aside since', async () => {
      const { store, place, ids, entries } = await scene(4);
      const one = digest();
      await store.digests.make(one);
      expect(await store.digests.content(one.id, 2)).toMatchObject({
        forms: [{ id: place.form.id, name: place.form.name, count: 4 }],
        projectName: place.project.name,
        accountId: place.project.accountId,
        firstAt: entries[0]?.submission.createdAt,
        lastAt: entries[3]?.submission.createdAt,
        newest: [{ id: ids[3], data: entries[3]?.submission.data }, { id: ids[2] }],
      });
      await store.submissions.delete(ids[3] ?? '', dueAt);
      await harness().run(`UPDATE submissions SET folder = 'trash' WHERE id = '${ids[2]}'`);
      expect(await store.digests.content(one.id, 9)).toMatchObject({
        forms: [{ count: 2 }],
        newest: [{ id: ids[1] }, { id: ids[0] }],
      });
      for (const id of ids.slice(0, 3)) await store.submissions.delete(id, dueAt);
      expect(await store.digests.content(one.id, 9)).toBeNull();
    });

    it('leave what is set aside to the next one', async () => {
      const { store, ids } = await scene(2);
      await harness().run(
        `UPDATE deliveries SET queue = ${digestQueue + 100} WHERE submission_id = '${ids[0]}'`,
      );
      const one = digest();
      expect(await store.digests.make(one)).toBe(1);
      await harness().run(`UPDATE deliveries SET queue = ${digestQueue} WHERE submission_id = '${ids[0]}'`);
      expect(await store.digests.listDue(one.nextAt - 1, 9)).toEqual([]);
      expect(await store.digests.make(digest({ now: one.nextAt }))).toBe(1);
    });

    it('are nothing when nothing waits', async () => {
      const { store } = await scene(0);
      expect(await store.digests.make(digest())).toBe(0);
      expect(await store.queue.heads()).toEqual([]);
    });

    it('release what has nobody left to go to, as ordinary deliveries', async () => {
      const { store } = await scene(2);
      await store.digests.release(lane, dueAt);
      expect(await store.digests.listDue(dueAt, 9)).toEqual([]);
      expect(await store.queue.heads()).toEqual([{ lane, queue: 5, dueAt }]);
    });

    it('send at once what somebody asks for, and keep a waiting one out of what is pulled back', async () => {
      const { store, ids } = await scene(2);
      const [waiting] = await store.deliveries.listBySubmission(ids[0] ?? '');
      expect((await store.queue.listWaiting(null)).waiting).toEqual([]);
      if (!waiting) throw new Error('One waits');
      await store.deliveries.resend({ ...waiting, trigger: 'manual', queue: 4 }, waiting.submissionId, epoch);
      expect(await store.digests.make(digest({ now: epoch }))).toBe(1);
    });

    it('have mails that are deleted when their log is, and not before they are sent', async () => {
      const { store } = await scene(1);
      const one = digest();
      await store.digests.make(one);
      const mails = async () =>
        harness().run(`SELECT id FROM deliveries WHERE submission_id = '${one.id}' ORDER BY id`);
      await store.purge.purgeAttemptsStep(dueAt + 1_000);
      expect(await mails()).toHaveLength(2);
      await harness().run(`UPDATE deliveries SET state = 'delivered' WHERE submission_id = '${one.id}'`);
      while (await store.purge.purgeAttemptsStep(dueAt));
      expect(await mails()).toHaveLength(2);
      while (await store.purge.purgeAttemptsStep(dueAt + 1_000));
      expect(await mails()).toEqual([]);
    });
  });
}
