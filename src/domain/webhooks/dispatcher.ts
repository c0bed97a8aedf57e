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
import type { Delivery } from '../../model/delivery.js';
import { queues, settle } from '../../model/delivery.js';
import type { AttemptRecord, DeliveryQueue, LeaseRelease, QueueHead } from '../../ports/delivery-queue.js';
import type { Attempted } from './attempt.js';
import { type Health, type LaneLimits, Lanes } from './lanes.js';

export interface DispatcherObserver {
  attempted(delivery: Delivery, attempted: Attempted): void;
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

/** A wake-up that got lost costs at most this. */
const pollMs = 2_000;
const pullBackEveryMs = 10 * 60_000;
/** How much later than any rule can have meant a row must be before a clock is blamed. */
const clockSlackMs = 15 * 60_000;
const retryFirstMs = 250;
const retryMostMs = 10_000;
/** After an attempt that could not be made: the fault is ours, and need not be over at once. */
const unmadeDelayMs = 1_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { queue, clock, timers, observer } = options;
  const lanes = new Lanes(options.limits);
  const heads = new Map<string, QueueHead>();
  let records: Ended<AttemptRecord>[] = [];
  let releases: Ended<LeaseRelease>[] = [];
  const underWay = new Set<Promise<void>>();
  let polledAt = Number.NEGATIVE_INFINITY;
  let pulledBackAt = Number.NEGATIVE_INFINITY;
  let faults = 0;
  /** After a fault the next turn comes when its time has come, however many sends end meanwhile. */
  let isResting = false;
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

  const send = async (delivery: Delivery, token: string): Promise<void> => {
    lanes.started(delivery.url);
    const { id: deliveryId, submissionId } = delivery;
    let health: Health | null = null;
    try {
      const attempted = await options.attempt(delivery);
      const settled = settle(delivery, attempted.end, {
        delays: options.delays,
        endedAt: clock.now(),
        jitter: options.random(),
      });
      health = attempted.isUnresponsive
        ? 'unresponsive'
        : attempted.end === 'failed'
          ? 'refused'
          : 'answered';
      if (attempted.end === 'cancelled') health = null;
      const next = settled.nextAttemptAt;
      records.push({
        deliveryId,
        submissionId,
        token,
        settled,
        attempt: attempted.attempt,
        head: next === null ? null : { url: delivery.url, queue: settled.queue, dueAt: next },
      });
      observer.attempted(delivery, attempted);
    } catch (error) {
      const nextAttemptAt = clock.now() + (stopping ? 0 : unmadeDelayMs);
      const head = { url: delivery.url, queue: delivery.queue, dueAt: nextAttemptAt };
      releases.push({ deliveryId, token, nextAttemptAt, head });
      if (!stopping) observer.failed(error);
    } finally {
      lanes.ended(delivery.url, health);
    }
    turn();
  };

  const poll = async (now: number): Promise<void> => {
    if (now - pulledBackAt >= pullBackEveryMs || now < pulledBackAt) {
      const latest = now + Math.max(0, ...options.delays) * 1.1 + options.leaseMs + clockSlackMs;
      await queue.pullBack(latest, now);
      pulledBackAt = now;
    }
    const found = await queue.heads();
    heads.clear();
    for (const head of found) expect(head.url, head.queue, head.dueAt);
    polledAt = now;
  };

  const claimable = async (now: number): Promise<readonly Delivery[]> => {
    if (stopping) return [];
    const picks = lanes.pick([...heads.values()].filter((head) => head.dueAt <= now));
    if (picks.length === 0) return [];
    const finds = await queue.find(picks, now);
    const due: Delivery[] = [];
    for (const [index, pick] of picks.entries()) {
      const found = finds[index];
      if (!found) continue;
      due.push(...found.due);
      heads.delete(keyOf(pick));
      if (found.nextDueAt !== null) heads.set(keyOf(pick), { ...pick, dueAt: found.nextDueAt });
    }
    return due;
  };

  const turnOnce = async (): Promise<void> => {
    const now = clock.now();
    // A clock that was set back must not keep us from looking.
    if (!stopping && (now - polledAt >= pollMs || now < polledAt)) await poll(now);
    const claims = await claimable(now);
    const ending = { records, releases };
    if (claims.length + records.length + releases.length === 0) return;
    records = [];
    releases = [];
    const token = options.newToken();
    try {
      const { claimed, lost } = await queue.turn({
        ...ending,
        claims,
        lease: { token, owner: options.owner, until: now + options.leaseMs },
        now,
      });
      if (lost.length > 0) observer.lost(lost);
      for (const { head } of [...ending.records, ...ending.releases]) {
        if (head) expect(head.url, head.queue, head.dueAt);
      }
      if (ending.records.length > 0) {
        observer.recorded(ending.records.map((record) => record.submissionId));
      }
      for (const delivery of claims) {
        if (!claimed.has(delivery.id)) continue;
        const sent = send(delivery, token).finally(() => underWay.delete(sent));
        underWay.add(sent);
      }
    } catch (error) {
      records = [...ending.records, ...records];
      releases = [...ending.releases, ...releases];
      // Whether they were claimed is not known; the next look at the queue tells.
      polledAt = Number.NEGATIVE_INFINITY;
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
    do {
      again = false;
      callOff();
      try {
        await turnOnce();
        faults = 0;
      } catch (error) {
        faults += 1;
        observer.failed(error);
        if (stopping) return;
        isResting = true;
        rest(Math.min(retryMostMs, retryFirstMs * 2 ** (faults - 1)));
        return;
      }
    } while (again || records.length > 0 || releases.length > 0);
    if (stopping) return;
    const now = clock.now();
    const waits = [...heads.values()].filter((head) => head.dueAt > now).map((head) => head.dueAt - now);
    rest(Math.min(pollMs, ...waits));
  };

  const turn = (): void => {
    if (turning) {
      again = true;
      return;
    }
    if (isResting && !stopping) return;
    turning = turnWhileNeeded().finally(() => {
      turning = null;
    });
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
      await turning;
      const allEnded = Promise.allSettled([...underWay]);
      await Promise.race([allEnded, new Promise<void>((resolve) => timers.after(graceMs, resolve))]);
      if (underWay.size > 0) await options.cutOff();
      await allEnded;
      await turning;
      // What ended last; a result that cannot be recorded now is an attempt that a restart makes again.
      turn();
      await turning;
    },
    get sending() {
      return lanes.sending;
    },
  };
}
