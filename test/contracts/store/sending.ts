/** Deliveries, mails and replays as their owners see them, and what is left of them when their time is over. */
import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import type { Delivery } from '../../../src/model/delivery.js';
import { queues } from '../../../src/model/delivery.js';
import type { Mail } from '../../../src/model/mail.js';
import type { Replay, ReplayScope } from '../../../src/model/replay.js';
import { noFilter } from '../../../src/model/submission.js';
import type { NewSubmission, Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import { anAttempt } from './queue.js';
import {
  anAccount,
  anEntry,
  aProject,
  claimed,
  day,
  epoch,
  made,
  madeAccount,
  madePlace,
  nextInstant,
  type Place,
} from './samples.js';

const minute = 60_000;
const mailLease = (token: string, until: number, owner = 'me') => ({ token, owner, until });

/** Stores a submission whose deliveries are changed as wished. */
async function sent(
  store: Store,
  place: Place,
  changes: readonly Partial<Delivery>[],
  createdAt = nextInstant(),
): Promise<NewSubmission> {
  const plain = anEntry(place, { deliveries: changes.length, createdAt });
  const entry = {
    ...plain,
    deliveries: plain.deliveries.map((delivery, i) => ({ ...delivery, ...changes[i] })),
  };
  await store.commit([entry]);
  return entry;
}

const first = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined) throw new Error('There is none');
  return item;
};

const isListed = async (store: Store, { form }: Place, id: string, webhookState: 'pending' | 'failed') => {
  const scope = { kind: 'form', formId: form.id } as const;
  const { items } = await store.submissions.list(
    scope,
    { ...noFilter, webhookState },
    { limit: 99, after: null },
  );
  return items.some((item) => item.id === id);
};

/** Claims the delivery and records an attempt that was made at that time. */
async function attempted(store: Store, delivery: Delivery, number: number, at: number): Promise<void> {
  const lease = { token: `token ${number}`, owner: 'owner', until: epoch + 900 * day };
  const now = epoch + 800 * day;
  await claimed(store, [delivery], lease, now);
  const record = {
    deliveryId: delivery.id,
    submissionId: delivery.submissionId,
    token: lease.token,
    settled: { state: 'pending', queue: queues.later, nextAttemptAt: epoch } as const,
    attempt: anAttempt(number, { at }),
  };
  await store.queue.turn({ records: [record], releases: [], unheard: [], picks: [], lease, now });
}

const aMail = (entry: NewSubmission, some: Partial<Mail> = {}): Mail => ({
  id: newId(entry.submission.createdAt),
  submissionId: entry.submission.id,
  formId: entry.submission.formId,
  recipient: 'ada@example.com',
  state: 'pending',
  attempt: 0,
  nextAttemptAt: epoch,
  error: null,
  createdAt: entry.submission.createdAt,
  ...some,
});

export function sendingContract(make: MakeHarness): void {
  deliveriesContract(make);
  mailsContract(make);
  replaysContract(make);
  leavingsContract(make);
}

function deliveriesContract(make: MakeHarness): void {
  describe('deliveries', () => {
    const harness = shared(make);

    it('are found by their account only, with their attempts in order, until the form is deleted', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { deliveries } = await sent(store, place, [{}, {}]);
      const delivery = first(deliveries);
      await attempted(store, delivery, 1, epoch);
      await attempted(store, delivery, 2, epoch + 1);
      const found = await store.deliveries.find(place.accountId, delivery.id);
      expect(found).toMatchObject({ ...delivery, attempt: 2, queue: queues.later, nextAttemptAt: epoch });
      expect(found?.attempts).toEqual([anAttempt(1, { at: epoch }), anAttempt(2, { at: epoch + 1 })]);
      const listed = await store.deliveries.listBySubmission(delivery.submissionId);
      expect(listed.map(({ id, attempts }) => [id, attempts.length])).toEqual(
        deliveries.map(({ id }, i) => [id, i === 0 ? 2 : 0]),
      );
      const stranger = await madeAccount(store);
      expect(await store.deliveries.find(stranger.id, delivery.id)).toBeNull();
      expect(await store.deliveries.find(place.accountId, newId(epoch))).toBeNull();
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.deliveries.find(place.accountId, delivery.id)).toBeNull();
    });

    it('tell how they stand', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission } = await sent(store, place, [
        { state: 'delivered', attempt: 1, nextAttemptAt: null },
        { state: 'failed', attempt: 5, nextAttemptAt: null },
      ]);
      const states = await store.deliveries.states(submission.id);
      expect([...states].sort((a, b) => a.attempt - b.attempt)).toEqual([
        { state: 'delivered', attempt: 1 },
        { state: 'failed', attempt: 5 },
      ]);
      expect(await store.deliveries.states(newId(epoch))).toEqual([]);
    });

    it('can be made for a submission that had none', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entry = await made(store, place);
      const { deliveries } = anEntry(place, { deliveries: 2 });
      const created = deliveries.map((delivery): Delivery => {
        const { id: submissionId } = entry.submission;
        return { ...delivery, submissionId, trigger: 'manual', queue: queues.manual };
      });
      await store.deliveries.create(created);
      expect(await store.deliveries.listBySubmission(entry.submission.id)).toEqual(
        created.map((delivery) => ({ ...delivery, attempts: [] })),
      );
      expect(await isListed(store, place, entry.submission.id, 'pending')).toBe(true);
    });

    it('are sent again from any state, with the number of their attempts kept', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      for (const state of ['pending', 'delivered', 'failed'] as const) {
        const nextAttemptAt = state === 'pending' ? epoch + day : null;
        const { submission, deliveries } = await sent(store, place, [{ state, attempt: 3, nextAttemptAt }]);
        const { id } = first(deliveries);
        const wish = { id, url: 'https://new.test/', trigger: 'manual', queue: queues.manual } as const;
        expect(await store.deliveries.resend(wish, submission.id, epoch)).toBe(true);
        expect(await store.deliveries.find(place.accountId, id)).toMatchObject({
          ...wish,
          state: 'pending',
          attempt: 3,
          nextAttemptAt: epoch,
          isInFlight: false,
        });
        expect(await isListed(store, place, submission.id, 'pending')).toBe(true);
      }
    });

    it('are not sent again while they are being sent, nor when they are gone', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { submission, deliveries } = await sent(store, place, [{ nextAttemptAt: epoch }]);
      const delivery = first(deliveries);
      const lease = { token: 'a', owner: 'o', until: epoch + minute };
      await claimed(store, deliveries, lease, epoch);
      const resend = (id: string, now: number) =>
        store.deliveries.resend({ ...delivery, id, trigger: 'manual' }, submission.id, now);
      expect(await resend(delivery.id, epoch + minute - 1)).toBe(false);
      expect(await store.deliveries.find(place.accountId, delivery.id)).toMatchObject({
        trigger: 'auto',
        isInFlight: true,
      });
      expect(await resend(delivery.id, epoch + minute)).toBe(true);
      expect(await resend(newId(epoch), epoch)).toBe(false);
    });

    it('know where they go now, and nothing of a deleted form', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const project = aProject(account.id, {
        webhookUrl: 'https://project.test/',
        previousSecret: 'whsec_old',
        previousSecretUntil: epoch + day,
      });
      await store.projects.create(project);
      const place = await madePlace(store, { account, project, form: { webhookUrl: 'https://form.test/' } });
      expect(await store.deliveries.settings(place.form.id)).toEqual({
        formId: place.form.id,
        formUrl: 'https://form.test/',
        projectUrl: 'https://project.test/',
        secret: project.webhookSecret,
        previousSecret: 'whsec_old',
        previousSecretUntil: epoch + day,
      });
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.deliveries.settings(place.form.id)).toBeNull();
      expect(await store.deliveries.settings(newId(epoch))).toBeNull();
    });
  });

  describe('the delivery that waits longest', () => {
    const harness = fresh(make);

    it('is known by when it was due', async () => {
      const { store } = harness();
      expect(await store.deliveries.oldestDueAt()).toBeNull();
      const place = await madePlace(store);
      await sent(store, place, [
        { nextAttemptAt: epoch + 7 },
        { url: 'https://b.test', nextAttemptAt: epoch + 3 },
      ]);
      await sent(store, place, [{ state: 'failed', nextAttemptAt: null }]);
      expect(await store.deliveries.oldestDueAt()).toBe(epoch + 3);
    });
  });
}

function mailsContract(make: MakeHarness): void {
  describe('mails', () => {
    const harness = fresh(make);

    const withMails = async (store: Store, changes: readonly Partial<Mail>[]) => {
      const place = await madePlace(store);
      const plain = anEntry(place, { files: 1 });
      const mails = changes.map((change) => aMail(plain, change));
      await store.commit([{ ...plain, mails }]);
      return { place, entry: plain, mails };
    };

    it('are stored with their submission', async () => {
      const { store } = harness();
      const { entry, mails } = await withMails(store, [{}, { recipient: 'grace@example.com' }]);
      expect(await store.mails.listBySubmission(entry.submission.id)).toEqual(mails);
      expect(await store.mails.listBySubmission(newId(epoch))).toEqual([]);
    });

    it('are claimed oldest first, as many as asked for, and by one only', async () => {
      const { store } = harness();
      const { mails } = await withMails(store, [
        { nextAttemptAt: epoch + 1 },
        { nextAttemptAt: epoch - 1 },
        { nextAttemptAt: epoch },
        { state: 'sent', nextAttemptAt: null },
      ]);
      const ids = (claimed: readonly Mail[]) => claimed.map(({ id }) => id);
      expect(await store.mails.claim(1, mailLease('a', epoch + minute), epoch)).toEqual([mails[1]]);
      expect(ids(await store.mails.claim(9, mailLease('b', epoch + minute), epoch))).toEqual([mails[2]?.id]);
      expect(await store.mails.claim(9, mailLease('c', epoch + minute), epoch)).toEqual([]);
      expect(await store.mails.nextDueAt()).toBe(epoch + 1);
      const another = await harness().another();
      const both = await Promise.all(
        [store, another].map(({ mails: queue }, i) =>
          queue.claim(9, mailLease(`d${i}`, epoch + 2 * minute), epoch + minute),
        ),
      );
      await another.close();
      expect(ids(both.flat()).sort()).toEqual(ids(mails.slice(0, 3)).sort());
    });

    it('take a result only from who has them', async () => {
      const { store } = harness();
      const { entry, mails } = await withMails(store, [{}]);
      const mail = first(mails);
      const result: Mail = { ...mail, state: 'pending', attempt: 1, nextAttemptAt: epoch + 5, error: 'busy' };
      expect(await store.mails.record(result, 'a')).toBe(false);
      await store.mails.claim(1, mailLease('a', epoch + minute), epoch);
      expect(await store.mails.record(result, 'b')).toBe(false);
      expect(await store.mails.record(result, 'a')).toBe(true);
      expect(await store.mails.record({ ...result, state: 'failed' }, 'a')).toBe(false);
      expect(await store.mails.listBySubmission(entry.submission.id)).toEqual([result]);
    });

    it('are freed at once when the process that had them is gone', async () => {
      const { store } = harness();
      const { mails } = await withMails(store, [{}, { nextAttemptAt: epoch + day }]);
      await store.mails.claim(9, mailLease('a', epoch + minute), epoch);
      await store.mails.recover(null, epoch + 1);
      expect(await store.mails.nextDueAt()).toBe(epoch + 1);
      expect(
        (await store.mails.claim(9, mailLease('b', epoch + minute), epoch + 1)).map(({ id }) => id),
      ).toEqual([mails[0]?.id]);
      expect(await store.mails.record(first(mails), 'a')).toBe(false);
    });

    it('are freed by owner: what others send stays theirs', async () => {
      const { store } = harness();
      const { mails } = await withMails(store, [{}, {}]);
      await store.mails.claim(1, mailLease('a', epoch + minute, 'gone'), epoch);
      await store.mails.claim(1, mailLease('b', epoch + minute, 'here'), epoch);
      expect(await store.mails.recover('nobody', epoch + 1)).toBe(0);
      expect(await store.mails.recover('gone', epoch + 1)).toBe(1);
      expect(await store.mails.recover('gone', epoch + 1)).toBe(0);
      const again = await store.mails.claim(9, mailLease('c', epoch + minute), epoch + 1);
      expect(again.map(({ id }) => id)).toEqual([mails[0]?.id]);
      expect(await store.mails.record({ ...first(mails.slice(1)), state: 'sent' }, 'b')).toBe(true);
    });

    it('belong to nobody once their result is in', async () => {
      const { store } = harness();
      const { mails } = await withMails(store, [{}]);
      await store.mails.claim(1, mailLease('a', epoch + minute, 'gone'), epoch);
      const later = { ...first(mails), attempt: 1, nextAttemptAt: epoch + day };
      expect(await store.mails.record(later, 'a')).toBe(true);
      expect(await store.mails.recover('gone', epoch + 1)).toBe(0);
      expect(await store.mails.nextDueAt()).toBe(epoch + day);
    });

    it('are brought to now when they are due later than any rule can have meant', async () => {
      const { store } = harness();
      const { mails } = await withMails(store, [
        { nextAttemptAt: epoch + day },
        { nextAttemptAt: epoch + day + 1 },
        { state: 'failed', nextAttemptAt: null },
      ]);
      await store.mails.pullBack(epoch + day, epoch);
      const claimed = await store.mails.claim(9, mailLease('a', epoch + minute), epoch);
      expect(claimed.map(({ id }) => id)).toEqual([mails[1]?.id]);
    });

    it('have no time when none waits', async () => {
      const { store } = harness();
      expect(await store.mails.nextDueAt()).toBeNull();
      await withMails(store, [{ state: 'failed', nextAttemptAt: null }]);
      expect(await store.mails.nextDueAt()).toBeNull();
    });

    it('know what they are about, until it is deleted', async () => {
      const { store } = harness();
      const { place, entry } = await withMails(store, [{}]);
      expect(await store.mails.subject(entry.submission.id)).toEqual({
        submission: { ...entry.submission, files: entry.files },
        formName: place.form.name,
        projectName: place.project.name,
      });
      expect(await store.mails.subject(newId(epoch))).toBeNull();
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.mails.subject(entry.submission.id)).toBeNull();
    });
  });
}

function replaysContract(make: MakeHarness): void {
  describe('replays', () => {
    const harness = shared(make);

    const aReplay = (accountId: string, some: Partial<Replay> = {}): Replay => {
      const createdAt = nextInstant();
      return {
        id: newId(createdAt),
        accountId,
        formId: newId(createdAt),
        projectId: null,
        since: null,
        until: createdAt,
        deliveryState: 'failed',
        perMinute: 60,
        state: 'running',
        total: 7,
        sent: 0,
        afterId: '',
        createdAt,
        finishedAt: null,
        ...some,
      };
    };

    it('are found and listed by their account, newest first', async () => {
      const { store } = harness();
      const [account, stranger] = [await madeAccount(store), await madeAccount(store)];
      const replays = [
        aReplay(account.id),
        aReplay(account.id, { since: epoch, deliveryState: 'delivered' }),
      ];
      for (const replay of [...replays, aReplay(stranger.id)]) await store.replays.create(replay);
      expect(await store.replays.list(account.id)).toEqual([...replays].reverse());
      const { id } = first(replays);
      expect(await store.replays.find(account.id, id)).toEqual(replays[0]);
      expect(await store.replays.find(stranger.id, id)).toBeNull();
    });

    it('progress while they run, and end once', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const [going, ended] = [aReplay(account.id), aReplay(account.id)];
      for (const replay of [going, ended]) await store.replays.create(replay);
      const running = async () =>
        (await store.replays.listRunning()).filter(({ accountId }) => accountId === account.id);
      expect(await store.replays.progress({ ...going, sent: 3, afterId: 'x' })).toBe(true);
      expect(await store.replays.find(account.id, going.id)).toEqual({ ...going, sent: 3, afterId: 'x' });
      expect(await running()).toHaveLength(2);
      const finished = { ...ended, state: 'finished', finishedAt: epoch, sent: 7 } as const;
      expect(await store.replays.progress(finished)).toBe(true);
      expect(await store.replays.progress({ ...ended, sent: 1 })).toBe(false);
      expect(await store.replays.cancel(account.id, ended.id, epoch)).toBe(false);
      expect(await store.replays.find(account.id, ended.id)).toEqual(finished);
      expect((await running()).map(({ id }) => id)).toEqual([going.id]);
    });

    it('are held at their place by one at a time', async () => {
      const { store } = harness();
      const another = await harness().another();
      const account = await madeAccount(store);
      const replay = aReplay(account.id);
      await store.replays.create(replay);
      const stepping = (on: Store) =>
        on.tx(async (tx) => {
          if (!(await tx.replays.hold(replay.id, replay.afterId))) return false;
          return tx.replays.progress({ ...replay, sent: 1, afterId: 'x' });
        });
      try {
        const went = await Promise.all([store, another].map(stepping));
        expect(went.filter((isOurs) => isOurs)).toHaveLength(1);
        expect(await store.tx((tx) => tx.replays.hold(replay.id, 'x'))).toBe(true);
        await store.replays.cancel(account.id, replay.id, epoch);
        expect(await store.tx((tx) => tx.replays.hold(replay.id, 'x'))).toBe(false);
      } finally {
        await another.close();
      }
    });

    it('are cancelled by their account, and what was on its way to be written no longer counts', async () => {
      const { store } = harness();
      const [account, stranger] = [await madeAccount(store), await madeAccount(store)];
      const replay = aReplay(account.id);
      await store.replays.create(replay);
      expect(await store.replays.cancel(stranger.id, replay.id, epoch)).toBe(false);
      expect(await store.replays.cancel(account.id, replay.id, epoch + 3)).toBe(true);
      expect(await store.replays.cancel(account.id, replay.id, epoch + 4)).toBe(false);
      expect(await store.replays.progress({ ...replay, sent: 5 })).toBe(false);
      expect(await store.replays.find(account.id, replay.id)).toEqual({
        ...replay,
        state: 'cancelled',
        finishedAt: epoch + 3,
      });
    });

    const scopeOf = (place: Place, some: Partial<ReplayScope> = {}): ReplayScope => ({
      formId: place.form.id,
      projectId: null,
      since: null,
      until: epoch + 900 * day,
      deliveryState: 'failed',
      ...some,
    });
    const failed = { state: 'failed', nextAttemptAt: null } as const;
    const arrived = { state: 'delivered', nextAttemptAt: null } as const;

    it('count and go through what is in their scope, oldest first, page by page', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const entries: NewSubmission[] = [];
      for (const changes of [[failed], [arrived], [failed, arrived], [{}], [failed, failed], [failed, {}]]) {
        entries.push(await sent(store, place, changes));
      }
      await made(store, place);
      const scope = scopeOf(place);
      const wanted = entries
        .flatMap(({ deliveries }) => deliveries)
        .filter(({ state }) => state === 'failed');
      expect(await store.replays.count(scope)).toBe(wanted.length);
      const seen: string[] = [];
      let afterId: string | null = '';
      while (afterId !== null) {
        const page: Awaited<ReturnType<Store['replays']['next']>> = await store.replays.next(
          scope,
          afterId,
          2,
        );
        seen.push(...page.items.map(({ id }) => id));
        afterId = page.afterId;
      }
      expect(seen).toEqual(wanted.map(({ id }) => id));
      expect(await store.replays.count(scopeOf(place, { deliveryState: 'delivered' }))).toBe(2);
    });

    it('keep to their form or project and to their time, its beginning included', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const sibling = await madePlace(store, {
        account: anAccount({ id: place.accountId }),
        project: place.project,
      });
      const at = epoch + 50 * day;
      for (const createdAt of [at - 1, at, at + 9, at + 10]) await sent(store, place, [failed], createdAt);
      await sent(store, sibling, [failed], at);
      const window = { since: at, until: at + 10 };
      expect(await store.replays.count(scopeOf(place, window))).toBe(2);
      const ofProject = { formId: null, projectId: place.project.id };
      expect(await store.replays.count(scopeOf(place, { ...ofProject, ...window }))).toBe(3);
      expect((await store.replays.next(scopeOf(place, ofProject), '', 100)).items).toHaveLength(5);
      expect(await store.replays.next(scopeOf(await madePlace(store)), '', 100)).toEqual({
        items: [],
        afterId: null,
      });
    });
  });
}

function leavingsContract(make: MakeHarness): void {
  describe('what is kept of sending', () => {
    const harness = fresh(make);

    it('loses attempts from before a time, in steps, and no others', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { deliveries } = await sent(store, place, [{ nextAttemptAt: epoch }]);
      const delivery = first(deliveries);
      // No attempt is older than its delivery.
      const later = delivery.createdAt + 900 * day;
      for (const [i, at] of [later - 2, later - 1, later].entries())
        await attempted(store, delivery, i + 1, at);
      expect(await store.purge.purgeAttemptsStep(later - 2)).toBe(false);
      while (await store.purge.purgeAttemptsStep(later));
      const left = await store.deliveries.find(place.accountId, delivery.id);
      expect(left?.attempts.map(({ number }) => number)).toEqual([3]);
      // The count of the attempts outlives them: the next one is still the fourth.
      expect(left?.attempt).toBe(3);
    });

    it('goes with the submission: deliveries, attempts and mails', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const plain = anEntry(place, { deliveries: 2 });
      const entry = { ...plain, mails: [aMail(plain)] };
      await store.commit([entry]);
      const delivery = first(entry.deliveries);
      await attempted(store, delivery, 1, epoch);
      await store.mails.claim(1, mailLease('a', epoch + minute), epoch);
      const lease = { token: 'b', owner: 'o', until: epoch + 900 * day };
      const turn = { records: [], releases: [], unheard: [], picks: [], lease, now: epoch + 800 * day };
      await claimed(store, [delivery], lease, turn.now);
      await store.submissions.delete(entry.submission.id, nextInstant());
      expect(await store.deliveries.listBySubmission(entry.submission.id)).toEqual([]);
      expect(await store.mails.listBySubmission(entry.submission.id)).toEqual([]);
      expect(await store.queue.heads()).toEqual([]);
      expect(await store.mails.nextDueAt()).toBeNull();
      expect(await store.purge.purgeAttemptsStep(epoch + 900 * day)).toBe(false);
      // What was being sent meanwhile comes home to nothing, and that is no error.
      const record = {
        deliveryId: delivery.id,
        submissionId: delivery.submissionId,
        token: 'b',
        settled: { state: 'delivered', queue: queues.later, nextAttemptAt: null } as const,
        attempt: anAttempt(2),
      };
      expect((await store.queue.turn({ ...turn, records: [record] })).lost).toEqual([delivery.id]);
      expect(await store.mails.record(first(entry.mails), 'a')).toBe(false);
    });
  });
}
