/** Double opt-in: an unconfirmed submission counts nowhere. A confirmation accepts it once, as a whole. */

import { describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import { StoreConflict } from '#inlet/ports/store.js';
import type { OptIn } from '../../../src/model/opt-in.js';
import { noFilter, type SubmissionFilter } from '../../../src/model/submission.js';
import type { NewSubmission, Store } from '../../../src/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import { aDelivery, anEntry, aUser, day, madePlace, nextInstant, type Place } from './samples.js';

const all = { limit: 100, after: null };

const anUnconfirmed = (place: Place, some: Partial<OptIn> = {}): NewSubmission & { optIn: OptIn } => {
  const entry = anEntry(place, { files: 1 });
  const { id, formId, createdAt } = entry.submission;
  return {
    ...entry,
    optIn: {
      submissionId: id,
      formId,
      address: 'Zoë@example.org',
      language: 'zh',
      expiresAt: createdAt + day,
      sentAt: null,
      confirmedAt: null,
      ip: null,
      userAgent: null,
      ...some,
    },
  };
};

const evidence = { confirmedAt: 5_000, ip: '192.0.2.7', userAgent: 'Browser 🎉' };

const confirmedBy = ({ submission }: NewSubmission, { accountId }: Place) => ({
  submission,
  accountId,
  evidence,
  deliveries: [],
  skipped: [],
  maxSubmissions: null,
});

const idsIn = async (store: Store, { form }: Place, folder: SubmissionFilter['folder'] = null) => {
  const scope = { kind: 'form', formId: form.id } as const;
  const { items } = await store.submissions.list(scope, { ...noFilter, folder }, all);
  return items.map(({ id }) => id);
};

const countOf = async (store: Store, { accountId, form }: Place) =>
  (await store.forms.find(wholeAccount(accountId), form.id))?.submissionsCount;

export function optInsContract(make: MakeHarness): void {
  describe('opt-ins', () => {
    const harness = shared(make);

    it('are stored with their submission, which is in a folder of its own and not counted', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const other = await madePlace(store);
      const [entry, usual] = [anUnconfirmed(place), anEntry(place)];
      await store.commit([entry, usual]);
      const { id } = entry.submission;
      expect(await idsIn(store, place)).toEqual([usual.submission.id]);
      expect(await idsIn(store, place, 'unconfirmed')).toEqual([id]);
      expect(await countOf(store, place)).toBe(1);
      expect(await store.optIns.find(wholeAccount(place.accountId), id)).toEqual(entry.optIn);
      expect(await store.optIns.load(id)).toEqual(entry.optIn);
      expect(await store.optIns.find(wholeAccount(other.accountId), id)).toBeNull();
      expect(await store.optIns.load(usual.submission.id)).toBeNull();
      expect((await store.submissions.find(wholeAccount(place.accountId), id))?.files).toHaveLength(1);
    });

    it('note the first sending only', async () => {
      const { store } = harness();
      const entry = anUnconfirmed(await madePlace(store));
      await store.commit([entry]);
      await store.optIns.noteSent(entry.submission.id, 1_000);
      await store.optIns.noteSent(entry.submission.id, 2_000);
      expect((await store.optIns.load(entry.submission.id))?.sentAt).toBe(1_000);
    });

    it('are confirmed once: counted, with deliveries and evidence', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entry = anUnconfirmed(place);
      await store.commit([entry]);
      const { id } = entry.submission;
      const deliveries = [aDelivery(place, entry.submission, 0)];
      const confirmed = { ...confirmedBy(entry, place), deliveries, skipped: ['left-out'] };
      const done = await Promise.all([store.optIns.confirm(confirmed), store.optIns.confirm(confirmed)]);
      expect(done.sort()).toEqual([false, true]);
      expect(await idsIn(store, place, 'inbox')).toEqual([id]);
      expect(await countOf(store, place)).toBe(1);
      expect(await store.optIns.load(id)).toEqual({ ...entry.optIn, ...evidence });
      expect(await store.deliveries.listBySubmission(id)).toHaveLength(1);
      expect(await store.deliveries.listSkipped(id)).toEqual(['left-out']);
      expect((await store.submissions.find(wholeAccount(place.accountId), id))?.deliveryState).toBe(
        'pending',
      );
    });

    it('are not confirmed beyond the maximum of the form, or after they were deleted', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const [first, second] = [anUnconfirmed(place), anUnconfirmed(place)];
      await store.commit([first, second]);
      const capped = (entry: NewSubmission) => ({ ...confirmedBy(entry, place), maxSubmissions: 1 });
      expect(await store.optIns.confirm(capped(first))).toBe(true);
      await expect(store.optIns.confirm(capped(second))).rejects.toEqual(new StoreConflict('limit'));
      expect((await store.optIns.load(second.submission.id))?.confirmedAt).toBeNull();
      expect(await countOf(store, place)).toBe(1);
      await store.submissions.delete(second.submission.id, nextInstant());
      expect(await store.optIns.confirm(confirmedBy(second, place))).toBe(false);
      expect(await store.optIns.load(second.submission.id)).toBeNull();
      expect(await countOf(store, place)).toBe(1);
      await store.submissions.delete(first.submission.id, nextInstant());
      expect(await countOf(store, place)).toBe(0);
    });

    it('are unread for everybody afterwards', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const user = aUser(place.accountId);
      await store.users.create(user, 'hash');
      const entry = anUnconfirmed(place);
      await store.commit([entry]);
      await store.inbox.readAll(user.id, { kind: 'form', formId: place.form.id });
      const unread = () => store.inbox.unread(wholeAccount(place.accountId), user.id, 10);
      expect(await unread()).toEqual([]);
      await store.optIns.confirm(confirmedBy(entry, place));
      expect(await unread()).toEqual([{ formId: place.form.id, unread: 1 }]);
    });

    it('are removed when they have expired, with tombstones of their files, and confirmed ones stay', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const [late, early, done] = [
        anUnconfirmed(place, { expiresAt: 1_000 }),
        anUnconfirmed(place, { expiresAt: 3_000 }),
        anUnconfirmed(place, { expiresAt: 1_000 }),
      ];
      await store.commit([late, early, done]);
      await store.optIns.confirm(confirmedBy(done, place));
      while (await store.purge.purgeUnconfirmedStep(2_000, nextInstant()));
      expect(await idsIn(store, place, 'unconfirmed')).toEqual([early.submission.id]);
      expect(await idsIn(store, place)).toEqual([done.submission.id]);
      expect(await countOf(store, place)).toBe(1);
      const removed = await store.files.listUnremoved(1_000);
      expect(removed.some(({ id }) => id === late.files[0]?.id)).toBe(true);
    });
  });
}
