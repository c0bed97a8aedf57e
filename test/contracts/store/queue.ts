/** The contract of every delivery queue: the comments of src/ports/delivery-queue.ts, as tests. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import type {
  Attempt,
  Delivery,
  DeliveryWithAttempts,
  Settled,
  WebhookState,
} from '../../../src/model/delivery.js';
import { laneOf, queues } from '../../../src/model/delivery.js';
import { noFilter } from '../../../src/model/submission.js';
import type {
  AttemptRecord,
  CycleOutcome,
  DeliveryQueue,
  QueueCycle,
  QueuePlace,
  WaitingDelivery,
} from '../../../src/ports/delivery-queue.js';
import type { MakeHarness } from './harness.js';
import { anEntry, epoch, madePlace } from './samples.js';

export interface QueueBench {
  readonly queue: DeliveryQueue;
  /** The queue as another process has it. */
  another(): Promise<DeliveryQueue>;
  /** Stores one submission with these deliveries. */
  add(wishes: readonly Partial<Delivery>[]): Promise<readonly Delivery[]>;
  read(id: string): Promise<DeliveryWithAttempts | null>;
  submissionState(submissionId: string): Promise<WebhookState | null>;
  resend(delivery: Delivery, change: Partial<Delivery>, now: number): Promise<boolean>;
  dispose(): Promise<void>;
}

export const anAttempt = (number: number, some: Partial<Attempt> = {}): Attempt => ({
  number,
  at: epoch + number,
  trigger: 'auto',
  status: 500,
  durationMs: 12,
  error: 'http_5xx',
  response: 'näin ei',
  dnsMs: 1,
  connectMs: null,
  firstByteMs: 9,
  remoteAddress: '192.0.2.1',
  request: '{"method":"POST"}',
  responseHeaders: '{"server":"ä"}',
  ...some,
});

export const delivered: Settled = {
  state: 'delivered',
  queue: queues.later,
  nextAttemptAt: null,
  heldUntil: null,
  extraAttempts: 0,
  resumeAt: null,
};
export const failed: Settled = { ...delivered, state: 'failed' };
export const later = (nextAttemptAt: number): Settled => ({ ...delivered, state: 'pending', nextAttemptAt });

const minute = 60_000;
const lane = laneOf('https://receiver.test', 'one');
const pick = (limit: number, some: Partial<Delivery> = {}) => ({
  lane: some.lane ?? lane,
  queue: some.queue ?? queues.first,
  limit,
});
const ids = (rows: readonly { id: string }[]): readonly string[] => rows.map(({ id }) => id);

export function queueContract(make: () => Promise<QueueBench>): void {
  describe('the queue of deliveries', () => {
    let bench: QueueBench;
    beforeEach(async () => {
      bench = await make();
    });
    afterEach(() => bench.dispose());

    const add = async (some: Partial<Delivery> = {}): Promise<Delivery> => {
      const [delivery] = await bench.add([{ lane, nextAttemptAt: epoch, ...some }]);
      if (!delivery) throw new Error('Nothing was added');
      return delivery;
    };
    const cycle = (some: Partial<QueueCycle>, on: DeliveryQueue = bench.queue): Promise<CycleOutcome> =>
      on.runCycle({
        records: [],
        releases: [],
        unconfirmed: [],
        picks: [],
        lease: { token: 'token', owner: 'owner', until: epoch + minute },
        now: epoch,
        ...some,
      });
    const lease = (token: string, until = epoch + minute, owner = 'owner') => ({ token, owner, until });
    /** Claims what is due in the lanes of these deliveries and returns the ids. */
    const claim = async (
      lanes: readonly Pick<Delivery, 'lane' | 'queue'>[],
      some: Partial<QueueCycle> = {},
      on: DeliveryQueue = bench.queue,
    ): Promise<readonly string[]> => {
      const { found } = await cycle({ picks: lanes.map((one) => pick(9, one)), ...some }, on);
      return found.flatMap(({ due }) => ids(due));
    };
    const record = (
      { id, submissionId, url }: Delivery,
      token: string,
      settled: Settled,
      attempt = anAttempt(1),
    ): AttemptRecord => ({ deliveryId: id, submissionId, token, settled, url, attempt });

    describe('heads', () => {
      it('are the first of each lane, and there are none without pending rows', async () => {
        expect(await bench.queue.heads()).toEqual([]);
        await add({ nextAttemptAt: epoch + 9 });
        await add({ nextAttemptAt: epoch + 5 });
        await add({ queue: queues.replay, nextAttemptAt: epoch + 7 });
        await add({ lane: `${lane}/b`, queue: queues.manual, nextAttemptAt: epoch + 1 });
        await add({ lane: `${lane}/c`, state: 'failed', nextAttemptAt: null });
        await add({ lane: `${lane}/d`, state: 'delivered', nextAttemptAt: null });
        const heads = [...(await bench.queue.heads())].sort((a, b) => a.dueAt - b.dueAt);
        expect(heads).toEqual([
          { lane: `${lane}/b`, queue: queues.manual, dueAt: epoch + 1 },
          { lane, queue: queues.first, dueAt: epoch + 5 },
          { lane, queue: queues.replay, dueAt: epoch + 7 },
        ]);
      });

      it('show what is being sent at the end of its lease', async () => {
        const delivery = await add();
        await claim([delivery]);
        expect(await bench.queue.heads()).toEqual([{ lane, queue: queues.first, dueAt: epoch + minute }]);
      });
    });

    describe('a pick', () => {
      it('gives what is due in the order in which it became due, the earliest, no more than asked for', async () => {
        const [c, a, b] = [
          await add(),
          await add({ nextAttemptAt: epoch - 9 }),
          await add({ nextAttemptAt: epoch - 5 }),
        ];
        const { found } = await cycle({ picks: [pick(2)] });
        expect(found).toEqual([{ due: [a, b], nextDueAt: epoch }]);
        expect((await cycle({ picks: [pick(2)] })).found).toEqual([{ due: [c], nextDueAt: epoch + minute }]);
      });

      it('gives those that became due at once in the order of their ids', async () => {
        const made = [await add(), await add(), await add(), await add(), await add()];
        const { found } = await cycle({ picks: [pick(9)] });
        expect(found.flatMap(({ due }) => ids(due))).toEqual([...ids(made)].sort());
      });

      it('counts what is due at this very moment, and says when the next one is', async () => {
        const delivery = await add();
        await add({ nextAttemptAt: epoch + 1 });
        const early = await cycle({ picks: [pick(5)], now: epoch - 1 });
        expect(early.found).toEqual([{ due: [], nextDueAt: epoch }]);
        const { found } = await cycle({ picks: [pick(5)] });
        expect(found).toEqual([{ due: [delivery], nextDueAt: epoch + 1 }]);
      });

      it('leaves what is not due as it is', async () => {
        const delivery = await add({ nextAttemptAt: epoch + 1 });
        expect(await claim([delivery])).toEqual([]);
        expect(await bench.read(delivery.id)).toEqual({ ...delivery, attempts: [] });
      });

      it('is answered in its place, and mixes no lanes and no destinations', async () => {
        const manual = await add({ queue: queues.manual });
        const other = await add({ lane: `${lane}/other` });
        const { found } = await cycle({
          picks: [
            pick(3, other),
            pick(3, { lane: laneOf('https://nobody.test', 'two') }),
            pick(3, manual),
            pick(3),
          ],
        });
        expect(found.map(({ due }) => ids(due))).toEqual([[other.id], [], [manual.id], []]);
        expect((await cycle({})).found).toEqual([]);
      });

      it('leaves out what has ended', async () => {
        await bench.add([
          { lane, state: 'delivered', nextAttemptAt: null },
          { lane, state: 'failed', nextAttemptAt: null },
        ]);
        const delivery = await add({ queue: queues.later });
        await claim([delivery], { lease: lease('a') });
        await cycle({ records: [record(delivery, 'a', delivered)] });
        const { found } = await cycle({ picks: [pick(5), pick(5, delivery)], now: epoch + 9 * minute });
        expect(found).toEqual([
          { due: [], nextDueAt: null },
          { due: [], nextDueAt: null },
        ]);
      });

      it('puts the row away until the lease ends, and is seen by everybody', async () => {
        const delivery = await add();
        expect(await cycle({ picks: [pick(5)] })).toEqual({
          found: [{ due: [delivery], nextDueAt: epoch + minute }],
          lost: [],
        });
        expect(await bench.read(delivery.id)).toMatchObject({
          isInFlight: true,
          attempt: 0,
          state: 'pending',
          nextAttemptAt: epoch + minute,
        });
        const another = await bench.another();
        const early = await cycle({ picks: [pick(5)], now: epoch + minute - 1 }, another);
        expect(early.found).toEqual([{ due: [], nextDueAt: epoch + minute }]);
        const late = { picks: [pick(5)], lease: lease('b', epoch + 2 * minute), now: epoch + minute };
        expect((await cycle(late, another)).found).toEqual([
          {
            due: [{ ...delivery, isInFlight: true, nextAttemptAt: epoch + minute }],
            nextDueAt: epoch + 2 * minute,
          },
        ]);
      });

      it('gives each row to one of many who want the same rows at once', async () => {
        const wanted = [];
        for (let i = 0; i < 20; i += 1) wanted.push(await add());
        const others = await Promise.all([bench.another(), bench.another()]);
        const claimed: string[] = [];
        // Several rounds: a cycle that runs beside another may find less than there is.
        for (let round = 0; round < 9 && claimed.length < wanted.length; round += 1) {
          const outcomes = await Promise.all(
            [bench.queue, ...others, bench.queue].map((queue, i) =>
              cycle({ picks: [pick(7)], lease: lease(`token ${round} ${i}`) }, queue),
            ),
          );
          claimed.push(...outcomes.flatMap(({ found }) => found.flatMap(({ due }) => ids(due))));
        }
        expect(claimed.sort()).toEqual([...ids(wanted)].sort());
      });

      it('gives the row as it is now: where to, why and for which attempt', async () => {
        const delivery = await add();
        await claim([delivery], { lease: lease('a') });
        await cycle({ records: [record(delivery, 'a', later(epoch))] });
        const change = { url: 'https://receiver.test/new', trigger: 'manual', queue: queues.manual } as const;
        expect(await bench.resend(delivery, change, epoch + 1)).toBe(true);
        expect(await claim([delivery], { now: epoch + 1 })).toEqual([]);
        const { found } = await cycle({ picks: [pick(5, change)], now: epoch + 1 });
        // Afterwards it continues to wait as before.
        const asked = { ...change, attempt: 1, nextAttemptAt: epoch + 1, resumeAt: epoch };
        expect(found[0]?.due).toEqual([{ ...delivery, ...asked }]);
      });

      it.each(['other', 'owner'])('takes over a row whose lease has ended, by %s', async (owner) => {
        const delivery = await add();
        await claim([delivery], { lease: lease('a') });
        const again = { lease: lease('b', epoch + 2 * minute, owner) };
        expect(await claim([delivery], { ...again, now: epoch + minute - 1 })).toEqual([]);
        expect(await claim([delivery], { ...again, now: epoch + minute })).toEqual([delivery.id]);
        const late = await cycle({ records: [record(delivery, 'a', delivered)] });
        expect(late.lost).toEqual([delivery.id]);
        expect((await cycle({ records: [record(delivery, 'b', delivered)] })).lost).toEqual([]);
      });
    });

    describe('a record', () => {
      it('keeps the attempt whole, counts it, ends the lease and sets when the next one comes', async () => {
        const delivery = await add({ trigger: 'manual', queue: queues.manual });
        await claim([delivery], { lease: lease('a') });
        const attempt = anAttempt(1, { trigger: 'manual' });
        const outcome = await cycle({ records: [record(delivery, 'a', later(epoch + 5 * minute), attempt)] });
        expect(outcome).toEqual({ found: [], lost: [] });
        expect(await bench.read(delivery.id)).toEqual({
          ...delivery,
          attempt: 1,
          queue: queues.later,
          trigger: 'auto',
          isInFlight: false,
          nextAttemptAt: epoch + 5 * minute,
          attempts: [attempt],
        });
      });

      it('counts for nothing with a token that is not the row’s, and says so', async () => {
        const delivery = await add();
        await claim([delivery], { lease: lease('a') });
        await claim([delivery], { lease: lease('b', epoch + 9 * minute), now: epoch + minute });
        const late = await cycle({
          records: [record(delivery, 'a', delivered, anAttempt(1, { status: 200 }))],
        });
        expect(late.lost).toEqual([delivery.id]);
        expect(await bench.read(delivery.id)).toMatchObject({ state: 'pending', attempt: 0, attempts: [] });
        expect(await bench.submissionState(delivery.submissionId)).toBe('pending');
        expect((await cycle({ records: [record(delivery, 'b', failed)] })).lost).toEqual([]);
        expect(await bench.read(delivery.id)).toMatchObject({ state: 'failed', attempt: 1 });
      });

      it('counts once, however often it is handed in', async () => {
        const delivery = await add();
        await claim([delivery], { lease: lease('a') });
        const records = [record(delivery, 'a', later(epoch + minute))];
        expect((await cycle({ records })).lost).toEqual([]);
        expect((await cycle({ records })).lost).toEqual([delivery.id]);
        const kept = await bench.read(delivery.id);
        expect([kept?.attempt, kept?.attempts.length]).toEqual([1, 1]);
      });

      it('sets the state of its submission over all of its deliveries', async () => {
        const [one, two] = await bench.add([
          { lane, nextAttemptAt: epoch },
          { lane: `${lane}/2`, nextAttemptAt: epoch },
        ]);
        if (!one || !two) throw new Error('Two were added');
        const state = () => bench.submissionState(one.submissionId);
        await claim([one, two], { lease: lease('a') });
        await cycle({ records: [record(one, 'a', delivered)] });
        expect(await state()).toBe('pending');
        await cycle({ records: [record(two, 'a', later(epoch))] });
        expect(await state()).toBe('pending');
        await claim([{ ...two, queue: queues.later }], { lease: lease('b') });
        await cycle({ records: [record(two, 'b', failed, anAttempt(2))] });
        expect(await state()).toBe('failed');
        expect(await bench.resend(two, { trigger: 'manual' }, epoch)).toBe(true);
        expect(await state()).toBe('pending');
        await claim([two], { lease: lease('c') });
        await cycle({ records: [record(two, 'c', delivered, anAttempt(3))] });
        expect(await state()).toBe('delivered');
      });
    });

    it('settles a submission whose deliveries end in two processes at once', async () => {
      const others = await Promise.all([bench.another(), bench.another()]);
      const states: (WebhookState | null)[] = [];
      for (let round = 0; round < 20; round += 1) {
        const both = await bench.add([
          { lane, nextAttemptAt: epoch },
          { lane: `${lane}/2`, nextAttemptAt: epoch },
        ]);
        await claim(both, { lease: lease('a') });
        await Promise.all(
          both.map((delivery, i) => cycle({ records: [record(delivery, 'a', delivered)] }, others[i])),
        );
        states.push(await bench.submissionState(both[0]?.submissionId ?? ''));
      }
      expect(new Set(states)).toEqual(new Set(['delivered']));
    });

    describe('a lease that is given up', () => {
      it('leaves the row as if it had not been claimed', async () => {
        const delivery = await add();
        await claim([delivery], { lease: lease('a') });
        const releases = [{ deliveryId: delivery.id, token: 'a', nextAttemptAt: epoch + 7, isCutOff: false }];
        expect((await cycle({ releases })).lost).toEqual([]);
        expect(await bench.read(delivery.id)).toEqual({
          ...delivery,
          nextAttemptAt: epoch + 7,
          attempts: [],
        });
        const { found } = await cycle({ picks: [pick(5)], now: epoch + 7 });
        expect(found[0]?.due).toEqual([{ ...delivery, nextAttemptAt: epoch + 7 }]);
      });

      it('is remembered when the attempt was cut off, until one has a result', async () => {
        const delivery = await add();
        const cutOff = async (token: string): Promise<void> => {
          await claim([delivery], { lease: lease(token) });
          const releases = [{ deliveryId: delivery.id, token, nextAttemptAt: epoch, isCutOff: true }];
          expect((await cycle({ releases })).lost).toEqual([]);
        };
        await cutOff('a');
        expect(await bench.read(delivery.id)).toMatchObject({ isInFlight: false });
        const { found } = await cycle({ picks: [pick(5)], lease: lease('b') });
        expect(found[0]?.due).toMatchObject([{ id: delivery.id, isInFlight: true }]);
        await cycle({ records: [record(delivery, 'b', later(epoch))] });
        const afterwards = await cycle({ picks: [pick(5, { queue: queues.later })], lease: lease('c') });
        expect(afterwards.found[0]?.due).toMatchObject([{ isInFlight: false, attempt: 1 }]);
      });

      it('changes nothing when somebody else has it', async () => {
        const delivery = await add();
        await claim([delivery], { lease: lease('b') });
        const releases = [{ deliveryId: delivery.id, token: 'a', nextAttemptAt: epoch, isCutOff: false }];
        expect((await cycle({ releases })).lost).toEqual([delivery.id]);
        expect(await bench.read(delivery.id)).toMatchObject({
          isInFlight: true,
          nextAttemptAt: epoch + minute,
        });
      });
    });

    it('ends at once the lease of a claim whose answer was lost, and of no other', async () => {
      const until = epoch + minute;
      const [mine, theirs] = [await add(), await add({ nextAttemptAt: epoch + 1 })];
      await cycle({ picks: [pick(1)], lease: lease('lost', until) });
      await cycle({ picks: [pick(1)], lease: lease('heard', until), now: epoch + 1 });
      const here = { lane, queue: queues.first };
      const wrong = [
        { ...here, token: 'lost', until: until + 1 },
        { ...here, token: 'another', until },
        { ...here, queue: queues.later, token: 'lost', until },
      ];
      const nothing = await cycle({
        unconfirmed: wrong,
        picks: [pick(5)],
        lease: lease('new', until),
        now: epoch + 2,
      });
      expect(nothing.found[0]?.due).toEqual([]);
      const unconfirmed = [{ ...here, token: 'lost', until }];
      const { found } = await cycle({
        unconfirmed,
        picks: [pick(5)],
        lease: lease('new', until),
        now: epoch + 3,
      });
      expect(ids(found[0]?.due ?? [])).toEqual([mine.id]);
      // Like a row whose lease has expired.
      expect(found[0]?.due[0]).toMatchObject({
        isInFlight: true,
        nextAttemptAt: epoch + 3,
        attempt: theirs.attempt,
      });
    });

    it('records, gives up and claims in one cycle, in this order', async () => {
      const [ended, unmade, fresh] = [await add(), await add(), await add({ queue: queues.replay })];
      await claim([ended], { lease: lease('a') });
      const outcome = await cycle({
        records: [record(ended, 'a', later(epoch))],
        releases: [{ deliveryId: unmade.id, token: 'a', nextAttemptAt: epoch, isCutOff: false }],
        picks: [pick(5), pick(5, fresh), pick(5, { queue: queues.later })],
        lease: lease('b'),
      });
      const again = { ...ended, attempt: 1, queue: queues.later };
      expect(outcome.found.map(({ due }) => due)).toEqual([[unmade], [fresh], [again]]);
      expect(outcome.lost).toEqual([]);
      expect((await bench.read(ended.id))?.attempts).toHaveLength(1);
      expect(await cycle({})).toEqual({ found: [], lost: [] });
    });

    describe('recover', () => {
      it('frees at once what one process had, and nothing of another', async () => {
        const mine = await add();
        await claim([mine], { lease: lease('a', epoch + minute, 'me') });
        const [yours, free] = [await add(), await add({ nextAttemptAt: epoch + 5 })];
        await claim([yours], { lease: lease('b', epoch + minute, 'you') });
        expect(await bench.queue.recover('me', epoch + 3)).toBe(1);
        expect(await bench.read(mine.id)).toMatchObject({ isInFlight: false, nextAttemptAt: epoch + 3 });
        expect(await bench.read(yours.id)).toMatchObject({ isInFlight: true });
        expect(await bench.read(free.id)).toMatchObject({ nextAttemptAt: epoch + 5 });
        expect((await cycle({ records: [record(mine, 'a', delivered)] })).lost).toEqual([mine.id]);
        expect(await bench.queue.recover('nobody', epoch)).toBe(0);
        // What the process was sending may have arrived.
        const { found } = await cycle({ picks: [pick(5)], lease: lease('c'), now: epoch + 4 });
        expect(found[0]?.due).toMatchObject([{ id: mine.id, isInFlight: true }]);
      });

      it('frees what all had', async () => {
        const mine = await add();
        await claim([mine], { lease: lease('a', epoch + minute, 'me') });
        const yours = await add();
        await claim([yours], { lease: lease('b', epoch + minute, 'you') });
        expect(await bench.queue.recover(null, epoch)).toBe(2);
        expect(await bench.queue.recover(null, epoch)).toBe(0);
        expect(await bench.read(yours.id)).toEqual({ ...yours, attempts: [] });
      });

      it('lets the others go first when a row was cut off again and again, until a result is recorded', async () => {
        const delivery = await add();
        const cutOff = async (seen: Delivery): Promise<number | null | undefined> => {
          await claim([seen], { lease: lease('a'), now: epoch + 9 * minute });
          await bench.queue.recover(null, epoch);
          return (await bench.read(seen.id))?.nextAttemptAt;
        };
        for (let times = 0; times < 5; times += 1) expect(await cutOff(delivery)).toBe(epoch);
        expect(await cutOff(delivery)).toBe(epoch + minute);
        await claim([delivery], { lease: lease('b'), now: epoch + minute });
        await cycle({ records: [record(delivery, 'b', later(epoch))] });
        expect(await cutOff({ ...delivery, queue: queues.later })).toBe(epoch);
      });
    });

    /** All waiting deliveries, which fit into one page. */
    const waiting = async (): Promise<readonly WaitingDelivery[]> => {
      const { waiting: found, next } = await bench.queue.listWaiting(null);
      expect(next).toBeNull();
      return found;
    };

    describe('listWaiting', () => {
      it('tells of what waits all that its schedule follows from, and nothing of what has ended or is being sent', async () => {
        const far = await add({
          nextAttemptAt: epoch + 1_000,
          attempt: 3,
          extraAttempts: 2,
          heldUntil: epoch + 1_000,
        });
        await bench.add([{ lane, state: 'failed', nextAttemptAt: null }]);
        const taken = await add();
        await claim([taken], { lease: lease('a') });
        const { id, destinationId, kind, formId, projectId, target, url } = far;
        expect(await waiting()).toMatchObject([
          {
            ...{ id, destinationId, kind, formId, projectId, target, url },
            dueAt: epoch + 1_000,
            attempt: 3,
            extraAttempts: 2,
            heldUntil: epoch + 1_000,
          },
        ]);
      });

      it('walks through all that waits, a bounded number of rows in each page, and meets every row once', async () => {
        const many = Array.from({ length: 1_203 }, (_, i) => ({
          lane: `${lane}${i % 3}`,
          queue: i % 2 === 0 ? queues.first : queues.later,
          nextAttemptAt: epoch + 10_000 + (i % 7),
        }));
        const added = await bench.add(many);
        const pages: (readonly string[])[] = [];
        for (let after: QueuePlace | null = null; ; ) {
          const page: Awaited<ReturnType<DeliveryQueue['listWaiting']>> =
            await bench.queue.listWaiting(after);
          pages.push(ids(page.waiting));
          if (!page.next) break;
          after = page.next;
        }
        expect(pages.length).toBeGreaterThan(1);
        expect(Math.max(...pages.map((page) => page.length))).toBeLessThan(many.length);
        expect(pages.flat().sort()).toEqual([...ids(added)].sort());
      });
    });

    describe('pullBack', () => {
      it('brings those that are as they were seen to another time, and nothing else', async () => {
        const [moved, left] = [
          await add({ nextAttemptAt: epoch + 1_000 }),
          await add({ nextAttemptAt: epoch + 999 }),
        ];
        const [seen] = (await waiting()).filter(({ id }) => id === moved.id);
        if (!seen) throw new Error('not seen');
        expect(await bench.queue.pullBack([{ seen, dueAt: epoch + 3 }])).toBe(1);
        expect((await bench.read(moved.id))?.nextAttemptAt).toBe(epoch + 3);
        expect((await bench.read(left.id))?.nextAttemptAt).toBe(epoch + 999);
        expect(await bench.queue.pullBack([{ seen, dueAt: epoch + 5 }]), 'has moved since').toBe(0);
        expect(await bench.queue.pullBack([])).toBe(0);
      });

      it('leaves what was claimed, attempted or asked for meanwhile', async () => {
        const [taken, tried, asked] = [await add(), await add(), await add({ nextAttemptAt: epoch + 1 })];
        const seen = await waiting();
        await claim([taken], { lease: lease('a') });
        await cycle({ records: [record(tried, 'a', later(epoch))] });
        expect(await bench.resend(asked, { trigger: 'manual', queue: queues.manual }, epoch + 2)).toBe(true);
        expect(seen).toHaveLength(3);
        expect(await bench.queue.pullBack(seen.map((one) => ({ seen: one, dueAt: epoch - 9 })))).toBe(0);
        expect((await bench.read(taken.id))?.nextAttemptAt).toBe(epoch + minute);
        expect((await bench.read(tried.id))?.nextAttemptAt).toBe(epoch);
        expect((await bench.read(asked.id))?.nextAttemptAt).toBe(epoch + 2);
      });
    });

    describe('what was settled', () => {
      it('is kept whole: how long the endpoint wants to be left alone, and how many attempts were asked for', async () => {
        const delivery = await add();
        await claim([delivery], { lease: lease('a') });
        const held = { ...later(epoch + minute), heldUntil: epoch + minute, extraAttempts: 1 };
        const elsewhere = { ...delivery, url: 'https://receiver.test/corrected' };
        await cycle({ records: [record(elsewhere, 'a', held)] });
        expect(await bench.read(delivery.id)).toMatchObject({ ...held, url: elsewhere.url });
        const next = { ...delivery, queue: queues.later };
        const { found } = await cycle({ picks: [pick(1, next)], lease: lease('b'), now: epoch + minute });
        expect(found[0]?.due).toMatchObject([{ heldUntil: epoch + minute, extraAttempts: 1 }]);
        await cycle({ records: [record(delivery, 'b', delivered, anAttempt(2))] });
        expect(await bench.read(delivery.id)).toMatchObject({ heldUntil: null, extraAttempts: 0 });
      });
    });

    describe('an attempt that is asked for', () => {
      const manual = { trigger: 'manual', queue: queues.manual } as const;

      it('remembers when the schedule of a waiting one goes on, however often it is asked for', async () => {
        const delivery = await add({ nextAttemptAt: epoch + 9 * minute });
        expect(await bench.resend(delivery, manual, epoch)).toBe(true);
        expect(await bench.resend(delivery, { ...manual, trigger: 'replay' }, epoch + 1)).toBe(true);
        expect(await bench.read(delivery.id)).toMatchObject({
          trigger: 'replay',
          nextAttemptAt: epoch + 1,
          resumeAt: epoch + 9 * minute,
        });
      });

      it('is the last one of a delivery that had ended', async () => {
        const delivery = await add({ state: 'failed', nextAttemptAt: null });
        expect(await bench.resend(delivery, manual, epoch)).toBe(true);
        expect(await bench.read(delivery.id)).toMatchObject({ state: 'pending', resumeAt: null });
      });

      it('waits for one that is being sent', async () => {
        const delivery = await add();
        await claim([delivery], { lease: lease('a') });
        expect(await bench.resend(delivery, manual, epoch + 1)).toBe(false);
      });
    });
  });
}

/** The queue as part of a whole store. */
export const storeQueueContract = (make: MakeHarness): void =>
  queueContract(async () => {
    const harness = await make();
    const { store } = harness;
    const place = await madePlace(store);
    const others: { close(): Promise<void> }[] = [];
    const scope = { kind: 'form', formId: place.form.id } as const;
    return {
      queue: store.queue,
      async another() {
        const other = await harness.another();
        others.push(other);
        return other.queue;
      },
      async add(wishes) {
        const entry = anEntry(place, { deliveries: wishes.length });
        const deliveries = entry.deliveries.map((delivery, i) => ({ ...delivery, ...wishes[i] }));
        await store.commit([{ ...entry, deliveries }]);
        return deliveries;
      },
      read: (id) => store.deliveries.find(wholeAccount(place.accountId), id),
      async submissionState(submissionId) {
        for (const webhookState of ['pending', 'failed', 'delivered'] as const) {
          const filter = { ...noFilter, webhookState };
          const { items } = await store.submissions.list(scope, filter, { limit: 100, after: null });
          if (items.some(({ id }) => id === submissionId)) return webhookState;
        }
        return null;
      },
      resend: (delivery, change, now) =>
        store.deliveries.resend({ ...delivery, ...change }, delivery.submissionId, now),
      async dispose() {
        await Promise.all(others.map((other) => other.close()));
        await harness.dispose();
      },
    };
  });
