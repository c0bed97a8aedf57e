import { describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import { StoreFull } from '#inlet/ports/store.js';
import { noFilter } from '../../../src/model/submission.js';
import type { Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import {
  aForm,
  anEntry,
  aProject,
  made,
  madeAccount,
  madePlace,
  nextInstant,
  type Place,
} from './samples.js';

/** A point that the test reaches before the store may continue. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

const listed = async (store: Store, { form }: Place): Promise<number> => {
  const page = { limit: 1000, after: null };
  return (await store.submissions.list({ kind: 'form', formId: form.id }, noFilter, page)).items.length;
};

export function transactionsContract(make: MakeHarness): void {
  describe('transactions', () => {
    const harness = shared(make);

    it('keeps what the work did and gives back what it returned', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const project = aProject(account.id);
      const form = aForm(project.id);
      const given = await store.tx(async (tx) => {
        await tx.projects.create(project);
        await tx.forms.create(form);
        // It reads its own writes.
        return (await tx.projects.list(wholeAccount(account.id), null)).length;
      });
      expect(given).toBe(1);
      expect(await store.forms.find(wholeAccount(account.id), form.id)).toEqual({
        form,
        submissionsCount: 0,
      });
    });

    it('undoes everything when the work rejects, and rejects with its error', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, files } = await made(store, place, { files: 1, deliveries: 1, key: 'kept' });
      const project = aProject(place.accountId);
      const reason = new Error('changed my mind');
      const work = store.tx(async (tx) => {
        await tx.projects.create(project);
        await tx.projects.update(place.project.id, { ...place.project, name: 'Changed' }, nextInstant());
        await tx.submissions.delete(submission.id, nextInstant());
        await tx.submissions.dropExpiredIdempotent(place.form.id, 'kept', Number.MAX_SAFE_INTEGER);
        await tx.forms.markDeleted(place.form.id, nextInstant());
        throw reason;
      });
      await expect(work).rejects.toBe(reason);
      expect(await store.projects.find(wholeAccount(place.accountId), project.id)).toBeNull();
      expect(await store.projects.find(wholeAccount(place.accountId), place.project.id)).toEqual(
        place.project,
      );
      expect(await store.submissions.find(wholeAccount(place.accountId), submission.id)).toEqual({
        ...submission,
        files,
        deliveryState: 'pending',
      });
      expect(await store.deliveries.listBySubmission(submission.id)).toHaveLength(1);
      expect(await store.submissions.findIdempotent(place.form.id, 'kept')).not.toBeNull();
      expect(await store.forms.find(wholeAccount(place.accountId), place.form.id)).toMatchObject({
        submissionsCount: 1,
      });
    });

    it('undoes everything when a rule refuses one statement', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const [first, twin] = [aProject(account.id, { slug: 'same' }), aProject(account.id, { slug: 'same' })];
      const work = store.tx(async (tx) => {
        await tx.projects.create(first);
        await tx.projects.create(twin);
      });
      await expect(work).rejects.toMatchObject({ rule: 'unique' });
      expect(await store.projects.count(account.id)).toBe(0);
      await store.projects.create(twin);
    });

    it('lets everything through that is issued meanwhile, at once or when it has ended', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const [inside, goOn] = [gate(), gate()];
      const order: string[] = [];
      const work = store
        .tx(async (tx) => {
          await tx.forms.update(place.form.id, { ...place.form, name: 'Renamed' }, nextInstant());
          inside.open();
          await goOn.opened;
          order.push('work');
        })
        .then(() => order.push('tx'));
      await inside.opened;
      const commit = made(store, place).then(() => order.push('commit'));
      const other = store.accounts.update(place.accountId, { plan: 'pro' }).then(() => order.push('write'));
      // Reads never wait, and see nothing uncommitted.
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.form.name).toBe(
        'Contact',
      );
      goOn.open();
      await Promise.all([work, commit, other]);
      expect(order.filter((step) => step === 'work' || step === 'tx')).toEqual(['work', 'tx']);
      expect(order.toSorted()).toEqual(['commit', 'tx', 'work', 'write']);
      expect((await store.forms.find(wholeAccount(place.accountId), place.form.id))?.form.name).toBe(
        'Renamed',
      );
      expect(await listed(store, place)).toBe(1);
    });

    it('never mixes two transactions, and loses no update', async () => {
      const { store } = harness();
      const { accountId, project } = await madePlace(store);
      const add = () =>
        store.tx(async (tx) => {
          const found = await tx.projects.find(wholeAccount(accountId), project.id);
          if (!found) throw new Error('missing');
          const rateLimitPerMinute = found.rateLimitPerMinute + 1;
          await tx.projects.update(project.id, { ...found, rateLimitPerMinute }, nextInstant());
        });
      await Promise.all(Array.from({ length: 40 }, add));
      const found = await store.projects.find(wholeAccount(accountId), project.id);
      expect(found?.rateLimitPerMinute).toBe(project.rateLimitPerMinute + 40);
    });
  });

  describe('several at once', () => {
    const harness = fresh(make);

    it('shows a finished write to every later read, whoever made it', async () => {
      const { store } = harness();
      const other = await harness().another();
      try {
        const place = await madePlace(store);
        for (let round = 1; round <= 50; round += 1) {
          const [writer, reader] = round % 2 ? [store, other] : [other, store];
          const { submission } = await made(writer, place);
          const seen = await Promise.all([
            reader.submissions.find(wholeAccount(place.accountId), submission.id),
            writer.submissions.find(wholeAccount(place.accountId), submission.id),
            reader.forms.find(wholeAccount(place.accountId), place.form.id),
          ]);
          expect(seen).toMatchObject([submission, submission, { submissionsCount: round }]);
        }
      } finally {
        await other.close();
      }
    });

    it('takes writes of several stores at once: none lost, none twice', async () => {
      const { store } = harness();
      const stores = [store, await harness().another(), await harness().another()];
      try {
        const place = await madePlace(store);
        const work = stores.flatMap((each) => [
          ...Array.from({ length: 60 }, () => each.commit([anEntry(place), anEntry(place)])),
          ...Array.from({ length: 10 }, () =>
            each.tx(async (tx) => {
              const found = await tx.forms.find(wholeAccount(place.accountId), place.form.id);
              if (!found) throw new Error('missing');
              const retentionDays = (found.form.retentionDays ?? 0) + 1;
              await tx.forms.update(place.form.id, { ...found.form, retentionDays }, nextInstant());
            }),
          ),
        ]);
        await Promise.all(work);
        expect(await store.forms.find(wholeAccount(place.accountId), place.form.id)).toMatchObject({
          form: { retentionDays: 30 },
          submissionsCount: 360,
        });
        expect(await listed(store, place)).toBe(360);
      } finally {
        await Promise.all(stores.slice(1).map((each) => each.close()));
      }
    });

    it('keeps everything over a restart', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, files } = await made(store, place, { files: 2 });
      await store.close();
      const reopened = await harness().another();
      try {
        expect(await reopened.submissions.find(wholeAccount(place.accountId), submission.id)).toEqual({
          ...submission,
          files,
          deliveryState: null,
        });
        expect(await reopened.forms.findForIntake(place.form.publicId)).toMatchObject({ form: place.form });
      } finally {
        await reopened.close();
      }
    });

    it('refuses work after it was closed, instead of hanging', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      await store.close();
      await expect(store.commit([anEntry(place)])).rejects.toMatchObject({ name: 'StoreUnavailable' });
      await expect(store.accounts.find(place.accountId)).rejects.toMatchObject({ name: 'StoreUnavailable' });
      await expect(store.check()).rejects.toMatchObject({ name: 'StoreUnavailable' });
    });

    it('is ready when it says so', async () => {
      await expect(harness().store.check()).resolves.toBeUndefined();
    });
  });

  describe('a full disk', () => {
    const harness = fresh(make);
    const bulky = (place: Place) => anEntry(place, { data: JSON.stringify({ text: 'x'.repeat(500_000) }) });

    it('is distinguished from other faults, writes nothing and passes', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const before = await made(store, place);
      const makeRoom = await harness().fillUp();
      await expect(store.commit([anEntry(place), bulky(place)])).rejects.toBeInstanceOf(StoreFull);
      expect(await listed(store, place)).toBe(1);
      expect(
        await store.submissions.find(wholeAccount(place.accountId), before.submission.id),
      ).not.toBeNull();
      await makeRoom();
      await store.commit([bulky(place)]);
      expect(await listed(store, place)).toBe(2);
    });

    it('is distinguished from other faults in a transaction too, and leaves none open', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const makeRoom = await harness().fillUp();
      const long = aProject(place.accountId, { name: 'x'.repeat(500_000) });
      await expect(store.projects.create(long)).rejects.toBeInstanceOf(StoreFull);
      const work = store.tx(async (tx) => {
        await tx.projects.update(place.project.id, { ...place.project, name: 'Changed' }, nextInstant());
        await tx.projects.create(long);
      });
      await expect(work).rejects.toBeInstanceOf(StoreFull);
      await makeRoom();
      await store.tx(async (tx) => tx.projects.create(long));
      const names = (await store.projects.list(wholeAccount(place.accountId), null)).map(
        ({ project }) => project.name,
      );
      expect(names).toEqual([place.project.name, long.name]);
    });

    it('does not jam the search index', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const text = Array.from({ length: 9_000 }, (_, i) => `w${i}${'x'.repeat(70)}`).join(' ');
      await made(store, place, { data: JSON.stringify({ text }) });
      const makeRoom = await harness().fillUp();
      await expect(store.indexStep()).rejects.toBeInstanceOf(StoreFull);
      await makeRoom();
      while (await store.indexStep());
      await made(store, place);
      const scope = { kind: 'form', formId: place.form.id } as const;
      const found = await store.submissions.list(
        scope,
        { ...noFilter, words: ['w1500'] },
        { limit: 5, after: null },
      );
      expect(found.items).toHaveLength(1);
    });
  });
}
