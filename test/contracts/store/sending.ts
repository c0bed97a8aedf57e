/** Deliveries, mails and replays as their owners see them, and what is left of them after their retention. */

import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { wholeAccount } from '#inlet/model/reach.js';
import type { Delivery } from '../../../src/model/delivery.js';
import { queues } from '../../../src/model/delivery.js';
import { builtInId } from '../../../src/model/destination.js';
import type { Replay, ReplayScope } from '../../../src/model/replay.js';
import { noFilter } from '../../../src/model/submission.js';
import type { NewSubmission, Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import { anAttempt, delivered, later } from './queue.js';
import {
  aMailOf,
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

/** Stores a submission whose deliveries have these changes. */
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

/** Claims the delivery and records an attempt at the given time. */
async function attempted(store: Store, delivery: Delivery, number: number, at: number): Promise<void> {
  const lease = { token: `token ${number}`, owner: 'owner', until: epoch + 900 * day };
  const now = epoch + 800 * day;
  await claimed(store, [delivery], lease, now);
  const record = {
    deliveryId: delivery.id,
    submissionId: delivery.submissionId,
    token: lease.token,
    settled: later(epoch),
    url: delivery.url,
    attempt: anAttempt(number, { at }),
  };
  await store.queue.runCycle({ records: [record], releases: [], unconfirmed: [], picks: [], lease, now });
}

/** A mail as a process of the previous release queues it. */
const oldMail = (
  { submission }: NewSubmission,
  some: Partial<
    Record<'state' | 'lease_token' | 'lease_owner' | 'error', string | null> & Record<'attempt', number>
  > & {
    next_attempt_at?: number | null;
  } = {},
) => ({
  id: newId(submission.createdAt),
  submission_id: submission.id,
  form_id: submission.formId,
  recipient: 'ada@example.com',
  state: 'pending',
  attempt: 0,
  next_attempt_at: epoch,
  lease_token: null,
  lease_owner: null,
  error: null,
  created_at: submission.createdAt,
  ...some,
});

const insertOf = (row: ReturnType<typeof oldMail>): string => {
  const values = Object.values(row).map((value) => (typeof value === 'string' ? `'${value}'` : `${value}`));
  return `INSERT INTO mails (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`;
};

export function sendingContract(make: MakeHarness): void {
  deliveriesContract(make);
  mailsContract(make);
  earlierDeliveriesContract(make);
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
      const found = await store.deliveries.find(wholeAccount(place.accountId), delivery.id);
      expect(found).toMatchObject({ ...delivery, attempt: 2, queue: queues.later, nextAttemptAt: epoch });
      expect(found?.attempts).toEqual([anAttempt(1, { at: epoch }), anAttempt(2, { at: epoch + 1 })]);
      const listed = await store.deliveries.listBySubmission(delivery.submissionId);
      expect(listed.map(({ id, attempts }) => [id, attempts.length])).toEqual(
        deliveries.map(({ id }, i) => [id, i === 0 ? 2 : 0]),
      );
      const outsider = await madeAccount(store);
      expect(await store.deliveries.find(wholeAccount(outsider.id), delivery.id)).toBeNull();
      expect(await store.deliveries.find(wholeAccount(place.accountId), newId(epoch))).toBeNull();
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.deliveries.find(wholeAccount(place.accountId), delivery.id)).toBeNull();
    });

    it('are stored with their submission, mails too', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const plain = anEntry(place, { deliveries: 1 });
      const deliveries = [...plain.deliveries, aMailOf(place, plain)];
      await store.commit([{ ...plain, deliveries }]);
      expect(await store.deliveries.listBySubmission(plain.submission.id)).toEqual(
        deliveries.map((delivery) => ({ ...delivery, attempts: [] })),
      );
      expect(await isListed(store, place, plain.submission.id, 'pending')).toBe(true);
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
        expect(await store.deliveries.find(wholeAccount(place.accountId), id)).toMatchObject({
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
      expect(await store.deliveries.find(wholeAccount(place.accountId), delivery.id)).toMatchObject({
        trigger: 'auto',
        isInFlight: true,
      });
      expect(await resend(delivery.id, epoch + minute)).toBe(true);
      expect(await resend(newId(epoch), epoch)).toBe(false);
    });

    it('know what they are about, until it is deleted', async () => {
      const { store } = harness();
      const place = await madePlace(store);
      const { form, project } = place;
      const entry = await made(store, place, { files: 1 });
      expect(await store.deliveries.subject(entry.submission.id)).toEqual({
        submission: { ...entry.submission, files: entry.files, deliveryState: null },
        form: {
          id: form.id,
          publicId: form.publicId,
          slug: form.slug,
          name: form.name,
          fields: form.fields,
        },
        project: {
          id: project.id,
          accountId: project.accountId,
          slug: project.slug,
          name: project.name,
        },
      });
      expect(await store.deliveries.subject(newId(epoch))).toBeNull();
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.deliveries.subject(entry.submission.id)).toBeNull();
    });

    it('tell the form and the project that they go by now, and nothing of a deleted form', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const project = aProject(account.id, {
        webhookUrl: 'https://project.test/',
        previousSecret: 'whsec_old',
        previousSecretUntil: epoch + day,
      });
      await store.projects.create(project);
      const place = await madePlace(store, { account, project, form: { webhookUrl: 'https://form.test/' } });
      expect(await store.forms.findWithProject(place.form.id)).toEqual({ form: place.form, project });
      await store.forms.markDeleted(place.form.id, nextInstant());
      expect(await store.forms.findWithProject(place.form.id)).toBeNull();
      expect(await store.forms.findWithProject(newId(epoch))).toBeNull();
    });

    it('belong to the webhook of their form or project when they were planned before there were destinations', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const { submission } = await sent(store, place, [{}, {}]);
      await run(
        `UPDATE deliveries SET destination_id = '', lane = '' WHERE submission_id = '${submission.id}'`,
      );
      const wanted = [place.form.id, place.project.id].map((id) => builtInId(id, 'webhook'));
      const found = await store.deliveries.listBySubmission(submission.id);
      expect(found.map(({ destinationId }) => destinationId)).toEqual(wanted);
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
        { lane: 'https://b.test 1', nextAttemptAt: epoch + 3 },
      ]);
      await sent(store, place, [{ state: 'failed', nextAttemptAt: null }]);
      expect(await store.deliveries.oldestDueAt()).toBe(epoch + 3);
    });
  });
}

function mailsContract(make: MakeHarness): void {
  describe('mails that a process of the release before has queued', () => {
    const harness = fresh(make);
    const now = epoch + minute;

    /** A submission with these rows beside it, and what became of each when they were moved. */
    const moved = async (wishes: readonly Parameters<typeof oldMail>[1][]) => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const entry = await made(store, place);
      const rows = wishes.map((wish) => oldMail(entry, wish));
      for (const row of rows) await run(insertOf(row));
      const count = await store.queue.takeIn(now);
      const byId = new Map(
        (await store.deliveries.listBySubmission(entry.submission.id)).map((one) => [one.id, one]),
      );
      return { store, run, place, entry, rows, count, deliveries: rows.map(({ id }) => byId.get(id)) };
    };

    it('become deliveries of the built-in destination, once, and are claimed as such', async () => {
      const { store, place, entry, rows, count, deliveries } = await moved([
        {},
        { attempt: 2, next_attempt_at: epoch + 9 * minute, error: '451 later' },
      ]);
      expect(count).toBe(2);
      const destinationId = builtInId(place.form.id, 'email');
      const common = {
        submissionId: entry.submission.id,
        formId: place.form.id,
        projectId: place.project.id,
        destinationId,
        kind: 'email',
        target: 'form',
        lane: `smtp ${destinationId}`,
        url: 'ada@example.com',
        body: '',
        state: 'pending',
        trigger: 'auto',
        isInFlight: false,
      };
      expect(deliveries).toMatchObject([
        { ...common, attempt: 0, queue: queues.first, nextAttemptAt: epoch, attempts: [] },
        {
          ...common,
          attempt: 2,
          queue: queues.later,
          nextAttemptAt: epoch + 9 * minute,
          attempts: [{ number: 2, error: '451 later' }],
        },
      ]);
      expect(await isListed(store, place, entry.submission.id, 'pending')).toBe(true);
      expect(await store.queue.takeIn(now)).toBe(0);
      const { found } = await store.queue.runCycle({
        records: [],
        releases: [],
        unconfirmed: [],
        picks: [{ lane: common.lane, queue: queues.first, limit: 9 }],
        lease: { token: 'a', owner: 'o', until: now + minute },
        now,
      });
      expect(found[0]?.due.map(({ id }) => id)).toEqual([rows[0]?.id]);
    });

    it('stay where they are while they are being sent, until their lease has ended', async () => {
      const leased = { lease_token: 'theirs', next_attempt_at: now + 1 };
      const { store, count, deliveries, rows } = await moved([leased]);
      expect([count, deliveries]).toEqual([0, [undefined]]);
      expect(await store.queue.takeIn(now + 1)).toBe(1);
      const [found] = await store.deliveries.listBySubmission(rows[0]?.submission_id ?? '');
      expect(found).toMatchObject({ isInFlight: false, nextAttemptAt: now + 1, state: 'pending' });
    });

    it('are freed when the process that had them is gone', async () => {
      const leased = { lease_token: 'theirs', lease_owner: 'gone', next_attempt_at: now + day };
      const { store, rows } = await moved([leased]);
      await store.queue.recover('another', now);
      expect(await store.queue.takeIn(now)).toBe(0);
      await store.queue.recover('gone', now);
      expect(await store.queue.takeIn(now)).toBe(1);
      const [found] = await store.deliveries.listBySubmission(rows[0]?.submission_id ?? '');
      expect(found).toMatchObject({ isInFlight: false, nextAttemptAt: now });
    });

    it('keep how they ended', async () => {
      const { store, place, entry, deliveries } = await moved([
        { state: 'sent', attempt: 1, next_attempt_at: null },
        { state: 'failed', attempt: 1, next_attempt_at: null, error: '550 no such user' },
      ]);
      expect(deliveries).toMatchObject([
        { state: 'delivered', nextAttemptAt: null },
        { state: 'failed', nextAttemptAt: null, attempts: [{ error: '550 no such user' }] },
      ]);
      expect(await isListed(store, place, entry.submission.id, 'failed')).toBe(true);
      expect(await store.queue.heads()).toEqual([]);
    });

    it('are moved in steps, and all of them', async () => {
      const { store, count } = await moved(Array.from({ length: 601 }, () => ({})));
      expect(count).toBeLessThan(601);
      expect(await store.queue.takeIn(now)).toBe(601 - count);
      expect(await store.pendingSends()).toEqual({ deliveries: 0, mails: 601, replays: 0 });
    });

    it('are held like all others, whether they are being sent or not', async () => {
      const { store, run } = harness();
      const entry = await made(store, await madePlace(store));
      for (const lease_token of [null, 'theirs'])
        await run(insertOf(oldMail(entry, { lease_token, next_attempt_at: now + day })));
      expect(await store.holdSends('held: because', now)).toEqual({ deliveries: 0, mails: 2, replays: 0 });
      expect(await store.queue.takeIn(now + 2 * day)).toBe(0);
      const held = await store.deliveries.listBySubmission(entry.submission.id);
      expect(held.map(({ state, attempts }) => [state, attempts[0]?.error])).toEqual([
        ['failed', 'held: because'],
        ['failed', 'held: because'],
      ]);
    });
  });
}

/** The queue numbers of the previous release, which its processes look at. */
const before = { manual: 0, first: 1, later: 2 } as const;

function earlierDeliveriesContract(make: MakeHarness): void {
  describe('deliveries that a process of the release before has queued', () => {
    const harness = fresh(make);
    const now = epoch + minute;

    /** Two deliveries as a process of the previous release stores them. */
    const queued = async (change: string) => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const { submission, deliveries } = await sent(store, place, [
        { nextAttemptAt: epoch },
        { nextAttemptAt: epoch },
      ]);
      await run(`UPDATE deliveries SET destination_id = '', lane = '', ${change}`);
      const read = () => store.deliveries.listBySubmission(submission.id);
      return { store, run, place, deliveries, read };
    };

    it('are not found until they are taken in, each into the lane of its destination', async () => {
      const { store, place, deliveries, read } = await queued(`queue = ${before.first}`);
      expect(await store.queue.heads()).toEqual([]);
      expect(await store.queue.takeIn(now)).toBe(2);
      expect(await store.queue.takeIn(now)).toBe(0);
      const ids = [place.form.id, place.project.id].map((id) => builtInId(id, 'webhook'));
      expect(await read()).toEqual(
        deliveries.map((delivery, i) => ({
          ...delivery,
          destinationId: ids[i],
          lane: ` ${ids[i]}`,
          attempts: [],
        })),
      );
      expect(await store.queue.heads()).toHaveLength(2);
    });

    it('stay theirs while they are being sent, until their lease has ended', async () => {
      const lease = `lease_token = 'theirs', lease_owner = 'them', next_attempt_at = ${now + 1}`;
      const { store, read } = await queued(`queue = ${before.later}, ${lease}`);
      expect(await store.queue.takeIn(now)).toBe(0);
      expect(await store.queue.takeIn(now + 1)).toBe(2);
      // It may have arrived, so the next attempt says that it is a repetition.
      expect(await read()).toMatchObject([
        { isInFlight: true, queue: queues.later },
        { isInFlight: true, queue: queues.later },
      ]);
    });

    it('keep their destination when they were ours and a person there asked for another attempt', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const { submission } = await sent(store, place, [{ destinationId: 'own', lane: 'origin own' }]);
      await run(`UPDATE deliveries SET queue = ${before.manual}, "trigger" = 'manual', next_attempt_at = 1`);
      expect(await store.queue.takeIn(now)).toBe(1);
      expect(await store.deliveries.listBySubmission(submission.id)).toMatchObject([
        { destinationId: 'own', lane: 'origin own', queue: queues.manual, trigger: 'manual' },
      ]);
    });

    it('that have ended stay as they are', async () => {
      const { store, read } = await queued(`queue = ${before.later}, state = 'failed'`);
      expect(await store.queue.takeIn(now)).toBe(0);
      expect(await read()).toMatchObject([{ state: 'failed' }, { state: 'failed' }]);
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
        destinationId: null,
        filter: null,
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
      const [account, outsider] = [await madeAccount(store), await madeAccount(store)];
      const replays = [
        aReplay(account.id),
        aReplay(account.id, { since: epoch, deliveryState: 'delivered' }),
      ];
      for (const replay of [...replays, aReplay(outsider.id)]) await store.replays.create(replay);
      expect(await store.replays.list(wholeAccount(account.id))).toEqual([...replays].reverse());
      const { id } = first(replays);
      expect(await store.replays.find(wholeAccount(account.id), id)).toEqual(replays[0]);
      expect(await store.replays.find(wholeAccount(outsider.id), id)).toBeNull();
    });

    it('progress while they run, and end once', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const [going, ended] = [aReplay(account.id), aReplay(account.id)];
      for (const replay of [going, ended]) await store.replays.create(replay);
      const running = async () =>
        (await store.replays.listRunning()).filter(({ accountId }) => accountId === account.id);
      expect(await store.replays.progress({ ...going, sent: 3, afterId: 'x' })).toBe(true);
      expect(await store.replays.find(wholeAccount(account.id), going.id)).toEqual({
        ...going,
        sent: 3,
        afterId: 'x',
      });
      expect(await running()).toHaveLength(2);
      expect(await store.replays.countRunning(account.id)).toBe(2);
      const finished = { ...ended, state: 'finished', finishedAt: epoch, sent: 7 } as const;
      expect(await store.replays.progress(finished)).toBe(true);
      expect(await store.replays.progress({ ...ended, sent: 1 })).toBe(false);
      expect(await store.replays.cancel(wholeAccount(account.id), ended.id, epoch)).toBe(false);
      expect(await store.replays.find(wholeAccount(account.id), ended.id)).toEqual(finished);
      expect((await running()).map(({ id }) => id)).toEqual([going.id]);
      expect(await store.replays.countRunning(account.id)).toBe(1);
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
        await store.replays.cancel(wholeAccount(account.id), replay.id, epoch);
        expect(await store.tx((tx) => tx.replays.hold(replay.id, 'x'))).toBe(false);
      } finally {
        await another.close();
      }
    });

    it('are cancelled by their account, and what was on its way to be written no longer counts', async () => {
      const { store } = harness();
      const [account, outsider] = [await madeAccount(store), await madeAccount(store)];
      const replay = aReplay(account.id);
      await store.replays.create(replay);
      expect(await store.replays.cancel(wholeAccount(outsider.id), replay.id, epoch)).toBe(false);
      expect(await store.replays.cancel(wholeAccount(account.id), replay.id, epoch + 3)).toBe(true);
      expect(await store.replays.cancel(wholeAccount(account.id), replay.id, epoch + 4)).toBe(false);
      expect(await store.replays.progress({ ...replay, sent: 5 })).toBe(false);
      expect(await store.replays.find(wholeAccount(account.id), replay.id)).toEqual({
        ...replay,
        state: 'cancelled',
        finishedAt: epoch + 3,
      });
    });

    const scopeOf = (place: Place, some: Partial<ReplayScope> = {}): ReplayScope => ({
      formId: place.form.id,
      projectId: null,
      destinationId: null,
      filter: null,
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
      const left = await store.deliveries.find(wholeAccount(place.accountId), delivery.id);
      expect(left?.attempts.map(({ number }) => number)).toEqual([3]);
      // The attempt count outlives the attempts: the next one is still the fourth.
      expect(left?.attempt).toBe(3);
    });

    it('goes with the submission: deliveries, attempts and mails', async () => {
      const { store, run } = harness();
      const place = await madePlace(store);
      const plain = anEntry(place, { deliveries: 2 });
      const entry = { ...plain, deliveries: [...plain.deliveries, aMailOf(place, plain)] };
      await store.commit([entry]);
      await run(insertOf(oldMail(entry)));
      const delivery = first(entry.deliveries);
      await attempted(store, delivery, 1, epoch);
      const lease = { token: 'b', owner: 'o', until: epoch + 900 * day };
      const cycle = { records: [], releases: [], unconfirmed: [], picks: [], lease, now: epoch + 800 * day };
      await claimed(store, [delivery], lease, cycle.now);
      await store.submissions.delete(entry.submission.id, nextInstant());
      expect(await store.deliveries.listBySubmission(entry.submission.id)).toEqual([]);
      expect(await store.queue.heads()).toEqual([]);
      expect(await store.queue.takeIn(cycle.now)).toBe(0);
      expect(await store.purge.purgeAttemptsStep(epoch + 900 * day)).toBe(false);
      // An attempt that ends after its delivery was deleted is no error.
      const record = {
        deliveryId: delivery.id,
        submissionId: delivery.submissionId,
        token: 'b',
        settled: delivered,
        url: delivery.url,
        attempt: anAttempt(2),
      };
      expect((await store.queue.runCycle({ ...cycle, records: [record] })).lost).toEqual([delivery.id]);
    });
  });
}
