/** Everything that waits to be sent can be failed at once: a restored backup must not send twice. */

import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { wholeAccount } from '#inlet/model/reach.js';
import { noFilter } from '../../../src/model/submission.js';
import { fresh, type MakeHarness } from './harness.js';
import { aMailOf, anEntry, epoch, madePlace, nextInstant } from './samples.js';

export function holdingContract(make: MakeHarness): void {
  describe('held sends', () => {
    const harness = fresh(make);

    it('fail with a given reason, can be sent again, and leave ended ones unchanged', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const plain = anEntry(place, { deliveries: 3 });
      const ends = [
        { state: 'pending', attempt: 2, nextAttemptAt: epoch },
        { state: 'delivered', attempt: 1, nextAttemptAt: null },
        { state: 'failed', attempt: 5, nextAttemptAt: null },
      ] as const;
      const deliveries = plain.deliveries.map((delivery, i) => ({ ...delivery, ...ends[i] }));
      const mails = [
        aMailOf(place, plain, { nextAttemptAt: epoch }),
        aMailOf(place, plain, { state: 'delivered', attempt: 1, nextAttemptAt: null }),
      ];
      await store.commit([{ ...plain, deliveries: [...deliveries, ...mails] }]);
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
        total: 7,
        sent: 0,
        afterId: '',
        createdAt: epoch,
        finishedAt: null,
      } as const;
      await store.replays.create(replay);
      const waiting = { deliveries: 1, mails: 1, replays: 1 };
      expect(await store.pendingSends()).toEqual(waiting);

      expect(await store.holdSends('held: because', epoch + 5)).toEqual(waiting);
      expect(await store.pendingSends()).toEqual({ deliveries: 0, mails: 0, replays: 0 });
      const held = await store.deliveries.listBySubmission(plain.submission.id);
      expect(held.map(({ state, attempt, nextAttemptAt }) => ({ state, attempt, nextAttemptAt }))).toEqual([
        { state: 'failed', attempt: 3, nextAttemptAt: null },
        ends[1],
        ends[2],
        { state: 'failed', attempt: 1, nextAttemptAt: null },
        { state: 'delivered', attempt: 1, nextAttemptAt: null },
      ]);
      expect(held[0]?.attempts).toMatchObject([
        { number: 3, at: epoch + 5, trigger: 'auto', status: null, error: 'held: because' },
      ]);
      const listed = await store.submissions.list(
        { kind: 'form', formId: place.form.id },
        { ...noFilter, webhookState: 'failed' },
        { limit: 9, after: null },
      );
      expect(listed.items.map(({ id }) => id)).toEqual([plain.submission.id]);
      expect(await store.queue.heads()).toEqual([]);
      expect(held[3]?.attempts).toMatchObject([{ number: 1, error: 'held: because' }]);
      expect(await store.replays.find(wholeAccount(place.accountId), replay.id)).toEqual({
        ...replay,
        state: 'cancelled',
        finishedAt: epoch + 5,
      });
      expect(await store.holdSends('again', epoch + 6)).toEqual({ deliveries: 0, mails: 0, replays: 0 });
    });
  });
}
