/**
 * The delivery engine. It turns like this, one turn after the other: what has ended is recorded, what is due is claimed, both
 * in one transaction and one trip; then the claimed are sent. Sends run beside the turns and wake the next one when
 * they end.
 *
 * What must stay true:
 * - Nothing is sent before its claim is durable, and no more is claimed than can be sent at once: a lease starts with
 *   its send.
 * - An attempt counts only when its result is recorded; a crash before that uses up none.
 * - Results that cannot be recorded are kept and tried again; meanwhile nothing new is claimed.
 * - What is under way is not sent a second time beside it, whatever the queue hands out.
 */
import type { Clock, Timers } from '../../kernel/clock.js';
import type { Delivery, Settled } from '../../model/delivery.js';
import { queues, settle } from '../../model/delivery.js';
import type {
  AttemptRecord,
  DeliveryQueue,
  LeaseRelease,
  QueueFinds,
  QueueHead,
  QueuePick,
  QueueTurn,
  UnheardClaim,
} from '../../ports/delivery-queue.js';
import type { Attempted } from './attempt.js';
import { type Held, HeldDeliveries } from './held.js';
import { type Health, healthOf, type LaneLimits, Lanes } from './lanes.js';
import { createPullBack } from './pull-back.js';

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

/** What is to be told to the queue about a delivery, by then under the token that it has by then. */
interface Ended<T> {
  readonly held: Held;
  readonly said: Omit<T, 'token'>;
  /** Where its line will have something next, once it is recorded. */
  readonly head: QueueHead | null;
}

interface Endings {
  readonly records: readonly Ended<AttemptRecord>[];
  readonly releases: readonly Ended<LeaseRelease>[];
}

/** Of 480 µs of processor time for each delivery 340 were left with 27 of them in a turn instead of 7. */
const gatherMs = 2;
const gatherMost = 32;
/** Of bodies in memory; one that is larger still goes. */
const maxTextUnderWay = 32 * 1024 * 1024;
/** More wait for the end of their lease. */
const maxUnheard = 1_000;
/** A wake-up that never came costs at most this. */
const pollMs = 2_000;
const retryFirstMs = 250;
const retryMostMs = 10_000;
/** After an attempt that could not be made: the fault is ours, and need not be over at once. */
const unmadeDelayMs = 1_000;
const unmadeMostMs = 5 * 60_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, clock, timers, observer } = options;
  const lanes = new Lanes(options.limits);
  const pullBack = createPullBack(options);
  const heads = new Map<string, QueueHead>();
  let records: Ended<AttemptRecord>[] = [];
  let releases: Ended<LeaseRelease>[] = [];
  const underWay = new Set<Promise<void>>();
  const held = new HeldDeliveries();
  /** Turns whose answer was lost may have claimed, and nobody sends what they did: those leases are ended. */
  let unheard: readonly UnheardClaim[] = [];
  let textUnderWay = 0;
  let polledAt = Number.NEGATIVE_INFINITY;
  let faults = 0;
  /** After a fault the next turn comes when its time has come, however many sends end meanwhile. */
  let isResting = false;
  let isGathering = false;
  /** How often in a row attempts could not be made; those of one wait count once, for they have the same reason. */
  let unmade = 0;
  let unmadeUntil = Number.NEGATIVE_INFINITY;
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

  const giveUp = (one: Held, nextAttemptAt: number): void => {
    const { id: deliveryId, url, queue: line } = one.delivery;
    const head = { url, queue: line, dueAt: nextAttemptAt };
    releases.push({ held: one, said: { deliveryId, nextAttemptAt }, head });
  };

  const whenToTryAgain = (now: number): number => {
    // Later than any wait: the clock was set back.
    if (now >= unmadeUntil || unmadeUntil > now + unmadeMostMs) {
      unmadeUntil = now + Math.min(unmadeMostMs, unmadeDelayMs * 2 ** Math.min(unmade, 10));
      unmade += 1;
    }
    return unmadeUntil;
  };

  const send = async (one: Held): Promise<void> => {
    const { delivery } = one;
    lanes.started(delivery.url);
    held.add(one);
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
      unmadeUntil = Number.NEGATIVE_INFINITY;
      const { id: deliveryId, submissionId } = delivery;
      const next = settled.nextAttemptAt;
      records.push({
        held: one,
        said: { deliveryId, submissionId, settled, attempt: attempted.attempt },
        head: next === null ? null : { url: delivery.url, queue: settled.queue, dueAt: next },
      });
      observer.attempted(delivery, attempted, settled);
    } catch (error) {
      giveUp(one, stopping ? clock.now() : whenToTryAgain(clock.now()));
      if (!stopping) observer.failed(error);
    } finally {
      textUnderWay -= delivery.body.length;
      lanes.ended(delivery.url, health);
    }
    turnSoon();
  };

  /** While others are under way, results wait a moment for each other: a turn costs much the same for one as for many. */
  const turnSoon = (): void => {
    const isEnough = records.length + releases.length >= gatherMost || lanes.sending === 0;
    if (isEnough || stopping) turn();
    else if (!isGathering) {
      isGathering = true;
      timers.after(gatherMs, () => {
        isGathering = false;
        turn();
      });
    }
  };

  // What is known is given up before the queue is asked, here and in `picksAt`: a wake-up that comes while it is being
  // read may be about what the answer does not have yet, and must outlive it.
  const poll = async (now: number): Promise<void> => {
    polledAt = now;
    heads.clear();
    await pullBack(now);
    for (const head of await queue.heads()) expect(head.url, head.queue, head.dueAt);
  };

  const picksAt = (now: number): readonly QueuePick[] => {
    if (stopping || textUnderWay >= maxTextUnderWay) return [];
    const picks = lanes.pick([...heads.values()].filter((head) => head.dueAt <= now));
    for (const pick of picks) heads.delete(keyOf(pick));
    return picks;
  };

  /** Returns the time up to which it has looked for what is due. */
  const turnOnce = async (): Promise<number> => {
    const begunAt = clock.now();
    // A clock that was set back must not keep us from looking.
    if (!stopping && (begunAt - polledAt >= pollMs || begunAt < polledAt)) await poll(begunAt);
    // The look at the queue may have taken long, or the clock was set: the lease begins now.
    const now = clock.now();
    const picks = picksAt(now);
    const ending: Endings = { records, releases };
    if (picks.length + records.length + releases.length + unheard.length === 0) return now;
    records = [];
    releases = [];
    const lease = { token: options.newToken(), owner: options.owner, until: now + options.leaseMs };
    const { found, lost } = await queue
      .turn({
        records: ending.records.map(({ held: { token }, said }) => ({ ...said, token })),
        releases: ending.releases.map(({ held: { token }, said }) => ({ ...said, token })),
        unheard,
        picks,
        lease,
        now,
      })
      .catch((error: unknown) => {
        // It may have been done all the same: then nobody sends what it claimed until its lease ends, and what we are sending
        // may have got this token.
        const claims = picks.map(({ url, queue: line }) => ({ url, queue: line, ...lease }));
        unheard = [...unheard, ...claims].slice(-maxUnheard);
        held.doubt(picks, lease.token);
        records = [...ending.records, ...records];
        releases = [...ending.releases, ...releases];
        throw error;
      });
    for (const { url, queue: line } of unheard) {
      expect(url, line, now);
      again = true;
    }
    unheard = [];
    conclude(ending, new Set(lost), new Set(picks.map(keyOf)), now);
    takeUp(picks, found, lease);
    return now;
  };

  const conclude = (
    ending: Endings,
    lost: ReadonlySet<string>,
    picked: ReadonlySet<string>,
    now: number,
  ): void => {
    const gone: string[] = [];
    const isOver = ({ held: one }: Ended<unknown>): boolean => {
      const isLost = lost.has(one.delivery.id);
      if (isLost && held.tryNextToken(one)) return false;
      if (isLost) gone.push(one.delivery.id);
      held.delete(one);
      return true;
    };
    const [recorded, unrecorded] = partition(ending.records, isOver);
    const [released, unreleased] = partition(ending.releases, isOver);
    records = [...unrecorded, ...records];
    releases = [...unreleased, ...releases];
    if (gone.length > 0) observer.lost(gone);
    for (const { head } of [...recorded, ...released]) {
      // A line that was picked was looked at after it was recorded.
      if (!head || picked.has(keyOf(head))) continue;
      expect(head.url, head.queue, head.dueAt);
      // Due at once, but this turn has looked already.
      if (head.dueAt <= now) again = true;
    }
    if (recorded.length > 0) observer.recorded(recorded.map(({ said }) => said.submissionId));
  };

  const takeUp = (
    picks: readonly QueuePick[],
    found: readonly QueueFinds[],
    { token, until }: QueueTurn['lease'],
  ): void => {
    const now = clock.now();
    for (const [index, { url, queue: line }] of picks.entries()) {
      const { due, nextDueAt } = found[index] ?? { due: [], nextDueAt: null };
      if (nextDueAt !== null) expect(url, line, nextDueAt);
      for (const delivery of due) {
        const one = { delivery, token, doubtful: [] };
        const own = held.find(delivery.id);
        // A clock that was set forward has ended the lease of what we are sending, or somebody took us for dead.
        if (own && held.isSameAttempt(own, delivery)) held.adopt(own, token);
        // Somebody wants it sent anew meanwhile: when this one is over.
        else if (own) giveUp(one, now + unmadeDelayMs);
        // We were held up for the whole lease: somebody else may be sending it.
        else if (now >= until) giveUp(one, now);
        else {
          const sent = send(one).finally(() => underWay.delete(sent));
          underWay.add(sent);
        }
      }
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

function partition<T>(
  all: readonly T[],
  isFirst: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  const parts: [T[], T[]] = [[], []];
  for (const one of all) parts[isFirst(one) ? 0 : 1].push(one);
  return parts;
}
