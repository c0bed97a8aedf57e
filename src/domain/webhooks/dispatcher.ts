/**
 * The delivery engine. It turns like this, one turn after the other: what has ended is recorded, what is due is claimed, both
 * in one transaction; then the claimed are sent. Sends run beside the turns and wake the next one when they end.
 *
 * What must stay true:
 * - Nothing is sent before its claim is durable, and no more is claimed than can be sent at once: a lease starts with
 *   its send.
 * - An attempt counts only when its result is recorded; a crash before that uses up none.
 * - Results that cannot be recorded are kept and tried again; meanwhile nothing new is claimed.
 */
import type { Clock, Timers } from '../../kernel/clock.js';
import type { Delivery, Settled } from '../../model/delivery.js';
import { queues, settle } from '../../model/delivery.js';
import type {
  AttemptRecord,
  DeliveryQueue,
  LeaseRelease,
  QueueHead,
  QueuePlace,
} from '../../ports/delivery-queue.js';
import type { Attempted } from './attempt.js';
import { type Health, type LaneLimits, Lanes } from './lanes.js';

export interface DispatcherObserver {
  attempted(delivery: Delivery, attempted: Attempted, settled: Settled): void;
  /** The results of these submissions are durable. */
  recorded(submissionIds: readonly string[]): void;
  lost(deliveryIds: readonly string[]): void;
  failed(error: unknown): void;
}

export interface DispatcherOptions {
  readonly queue: DeliveryQueue;
  /** Makes the attempts under way reject. */
  readonly cutOff: () => Promise<void>;
  /** Makes one attempt. A rejection means that it was not made, and counts for nothing. */
  readonly attempt: (delivery: Delivery) => Promise<Attempted>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly newToken: () => string;
  readonly owner: string;
  readonly delays: readonly number[];
  readonly leaseMs: number;
  readonly limits?: LaneLimits;
  readonly observer: DispatcherObserver;
}

export interface Dispatcher {
  start(): void;
  /** There may be something for these receivers; empty: for any. */
  wake(urls?: readonly string[]): void;
  /** Claims nothing more, lets sends end for so long, gives up the rest. */
  stop(graceMs: number): Promise<void>;
  readonly sending: number;
}

/** With where its line will have something next, once it is recorded. */
type Ended<T> = T & { readonly head: QueueHead | null };

/** Of 480 µs of processor time for each delivery 340 were left with 27 of them in a turn instead of 7. */
const gatherMs = 2;
const gatherMost = 16;
/** Of bodies in memory; one that is larger still goes. */
const maxTextUnderWay = 32 * 1024 * 1024;
/** A wake-up that never came costs at most this. */
const pollMs = 2_000;
const pullBackEveryMs = 10 * 60_000;
/** How much later than any rule can have meant a row must be before a clock is blamed. */
const clockSlackMs = 15 * 60_000;
const retryFirstMs = 250;
const retryMostMs = 10_000;
/** After an attempt that could not be made: the fault is ours, and need not be over at once. */
const unmadeDelayMs = 1_000;
const unmadeMostMs = 5 * 60_000;
/** A receiver that takes longer holds places that many quick ones could use. */
const slowMs = 2_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, clock, timers, observer } = options;
  const lanes = new Lanes(options.limits);
  const heads = new Map<string, QueueHead>();
  let records: Ended<AttemptRecord>[] = [];
  let releases: Ended<LeaseRelease>[] = [];
  const underWay = new Set<Promise<void>>();
  const sendingIds = new Set<string>();
  let textUnderWay = 0;
  let polledAt = Number.NEGATIVE_INFINITY;
  /** Over all that waits, for what a clock that was set back left too late; null: none is under way. */
  let walk: { readonly after: QueuePlace | null } | null = null;
  let walkedFrom = Number.NEGATIVE_INFINITY;
  let faults = 0;
  /** After a fault the next turn comes when its time has come, however many sends end meanwhile. */
  let isResting = false;
  let isGathering = false;
  /** Attempts in a row that could not be made. */
  let unmade = 0;
  let turning: Promise<void> | null = null;
  let again = false;
  let stopping = false;
  let callOff = (): void => {};

  const keyOf = ({ url, queue: line }: Pick<QueueHead, 'url' | 'queue'>): string => `${line} ${url}`;

  const expect = (url: string, line: QueueHead['queue'], dueAt: number): void => {
    const key = keyOf({ url, queue: line });
    const known = heads.get(key);
    if (!known || known.dueAt > dueAt) heads.set(key, { url, queue: line, dueAt });
  };

  const giveUp = (delivery: Delivery, token: string, nextAttemptAt: number): void => {
    const head = { url: delivery.url, queue: delivery.queue, dueAt: nextAttemptAt };
    releases.push({ deliveryId: delivery.id, token, nextAttemptAt, head });
  };

  const send = async (delivery: Delivery, token: string): Promise<void> => {
    const { id: deliveryId, submissionId } = delivery;
    lanes.started(delivery.url);
    sendingIds.add(deliveryId);
    textUnderWay += delivery.body.length;
    let health: Health | null = null;
    try {
      const attempted = await options.attempt(delivery);
      const settled = settle(delivery, attempted.end, {
        delays: options.delays,
        endedAt: clock.now(),
        jitter: options.random(),
      });
      health = healthOf(attempted);
      unmade = 0;
      const next = settled.nextAttemptAt;
      records.push({
        deliveryId,
        submissionId,
        token,
        settled,
        attempt: attempted.attempt,
        head: next === null ? null : { url: delivery.url, queue: settled.queue, dueAt: next },
      });
      observer.attempted(delivery, attempted, settled);
    } catch (error) {
      unmade += 1;
      const delayMs = Math.min(unmadeMostMs, unmadeDelayMs * 2 ** Math.min(unmade - 1, 10));
      giveUp(delivery, token, clock.now() + (stopping ? 0 : delayMs));
      if (!stopping) observer.failed(error);
    } finally {
      sendingIds.delete(deliveryId);
      textUnderWay -= delivery.body.length;
      lanes.ended(delivery.url, health);
    }
    turnSoon();
  };

  /** While others are under way, results wait a moment for each other: a turn costs much the same for one as for many. */
  const turnSoon = (): void => {
    const isEnough = records.length + releases.length >= gatherMost || sendingIds.size === 0;
    if (isEnough || stopping) turn();
    else if (!isGathering) {
      isGathering = true;
      timers.after(gatherMs, () => {
        isGathering = false;
        turn();
      });
    }
  };

  // What is known is given up before the queue is asked, here and in `claimable`: a wake-up that comes while it is being
  // read may be about what the answer does not have yet, and must outlive it.
  const poll = async (now: number): Promise<void> => {
    polledAt = now;
    heads.clear();
    await pullBackStep(now);
    for (const head of await queue.heads()) expect(head.url, head.queue, head.dueAt);
  };

  /** By the attempt they wait for: one that should wait two hours must not go out now because another should. */
  const pullBackStep = async (now: number): Promise<void> => {
    // A clock that is set back starts the walk again: what lies behind it was judged by the old time.
    if (now - walkedFrom >= pullBackEveryMs || now < walkedFrom) {
      walkedFrom = now;
      walk = { after: null };
    }
    if (!walk) return;
    const rules = [0, ...options.delays].map((step) => ({
      laterThan: now + Math.max(step * 1.1, options.leaseMs) + clockSlackMs,
      dueAt: now + step,
    }));
    const { next } = await queue.pullBack({ rules, after: walk.after });
    walk = next && { after: next };
  };

  const claimable = async (now: number): Promise<readonly Delivery[]> => {
    if (stopping || textUnderWay >= maxTextUnderWay) return [];
    const picks = lanes.pick([...heads.values()].filter((head) => head.dueAt <= now));
    if (picks.length === 0) return [];
    for (const pick of picks) heads.delete(keyOf(pick));
    const finds = await queue.find(picks, now);
    const due: Delivery[] = [];
    for (const [index, { url, queue: line }] of picks.entries()) {
      const found = finds[index];
      if (!found) continue;
      // A clock that was set forward ends leases early: what we are sending ourselves is not taken from us.
      due.push(...found.due.filter(({ id }) => !sendingIds.has(id)));
      if (found.nextDueAt !== null) expect(url, line, found.nextDueAt);
    }
    return due;
  };

  /** Returns the time up to which it has looked for what is due. */
  const turnOnce = async (): Promise<number> => {
    const now = clock.now();
    // A clock that was set back must not keep us from looking.
    if (!stopping && (now - polledAt >= pollMs || now < polledAt)) await poll(now);
    const claims = await claimable(now);
    // The looks at the queue may have taken long, or the clock was set: the lease begins now.
    const claimedAt = clock.now();
    const until = claimedAt + options.leaseMs;
    const ending = { records, releases };
    if (claims.length + records.length + releases.length === 0) return now;
    records = [];
    releases = [];
    const token = options.newToken();
    try {
      const { claimed, lost } = await queue.turn({
        ...ending,
        claims,
        lease: { token, owner: options.owner, until },
        now: claimedAt,
      });
      if (lost.length > 0) observer.lost(lost);
      for (const { head } of [...ending.records, ...ending.releases]) {
        if (!head) continue;
        expect(head.url, head.queue, head.dueAt);
        // Due at once, but this turn has looked already.
        if (head.dueAt <= now) again = true;
      }
      if (ending.records.length > 0) {
        observer.recorded(ending.records.map((record) => record.submissionId));
      }
      const isOver = clock.now() >= until;
      for (const delivery of claims) {
        if (!claimed.has(delivery.id)) continue;
        // We were held up for the whole lease: somebody else may be sending it.
        if (isOver) {
          giveUp(delivery, token, clock.now());
          continue;
        }
        const sent = send(delivery, token).finally(() => underWay.delete(sent));
        underWay.add(sent);
      }
      return now;
    } catch (error) {
      records = [...ending.records, ...records];
      releases = [...ending.releases, ...releases];
      throw error;
    }
  };

  const rest = (ms: number): void => {
    callOff();
    callOff = timers.after(ms, () => {
      isResting = false;
      turn();
    });
  };

  const turnWhileNeeded = async (): Promise<void> => {
    let lookedAt = Number.NEGATIVE_INFINITY;
    do {
      again = false;
      callOff();
      try {
        lookedAt = await turnOnce();
        faults = 0;
      } catch (error) {
        faults += 1;
        // What was known of the lines is given up, and whether something was claimed is not known.
        polledAt = Number.NEGATIVE_INFINITY;
        observer.failed(error);
        if (stopping) return;
        isResting = true;
        rest(Math.min(retryMostMs, retryFirstMs * 2 ** (faults - 1)));
        return;
      }
    } while (again || records.length > 0 || releases.length > 0);
    if (stopping) return;
    const now = clock.now();
    let waitMs = pollMs;
    // Also those that became due while the last turn ran: it has not seen them. Those it has seen wait for a place.
    for (const { dueAt } of heads.values()) {
      if (dueAt > lookedAt) waitMs = Math.min(waitMs, Math.max(0, dueAt - now));
    }
    rest(waitMs);
  };

  const turn = (): void => {
    if (turning) {
      again = true;
      return;
    }
    if (isResting && !stopping) return;
    turning = turnWhileNeeded().finally(() => {
      turning = null;
      // Asked for after the last look at `again`.
      if (again) turn();
    });
  };

  const turned = async (): Promise<void> => {
    while (turning) await turning;
  };

  return {
    start: turn,
    wake(urls = []) {
      const now = clock.now();
      if (urls.length === 0) polledAt = Number.NEGATIVE_INFINITY;
      for (const url of urls) expect(url, queues.first, now);
      turn();
    },
    async stop(graceMs) {
      stopping = true;
      callOff();
      await turned();
      const allEnded = Promise.allSettled([...underWay]);
      let callOffGrace = (): void => {};
      const grace = new Promise<void>((resolve) => {
        callOffGrace = timers.after(graceMs, resolve);
      });
      await Promise.race([allEnded, grace]);
      callOffGrace();
      if (underWay.size > 0) await options.cutOff();
      await allEnded;
      await turned();
      // What ended last; a result that cannot be recorded now is an attempt that a restart makes again.
      turn();
      await turned();
    },
    get sending() {
      return lanes.sending;
    },
  };
}

function healthOf({ end, isUnresponsive, attempt }: Attempted): Health | null {
  if (end === 'cancelled') return null;
  if (isUnresponsive) return 'unresponsive';
  if (attempt.durationMs > slowMs) return 'slow';
  return end === 'failed' ? 'refused' : 'answered';
}
