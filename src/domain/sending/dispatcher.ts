/**
 * The delivery engine. It works in cycles (`CycleLoop` schedules them): a cycle records what has ended and claims what is due,
 * in one transaction, and then starts sending what it claimed. Sends run concurrently with the cycles and request the next one
 * when they end. A delivery passes through these states:
 *
 *   due ── picked and claimed ──▶ sending ── attempt made ──────▶ ended: recorded by the next cycle
 *                                         └─ attempt not made ──▶ ended: released by the next cycle, and due again
 *
 * Invariants:
 * - Claim before sending, and never claim more than can be sent now: the lease starts when the send starts.
 * - An attempt counts only when its result is recorded; a crash before that uses up no attempt.
 * - Results that cannot be recorded are retried; until then nothing new is claimed.
 * - A delivery that is being sent is not sent a second time concurrently, whatever the queue returns.
 */
import type { Clock, Timers } from '../../kernel/clock.js';
import { CycleLoop } from '../../kernel/cycle-loop.js';
import { Tasks } from '../../kernel/tasks.js';
import { type Delivery, laneKey, queues, type Settled, settle } from '../../model/delivery.js';
import type {
  AttemptRecord,
  CycleOutcome,
  DeliveryQueue,
  LeaseRelease,
  QueueCycle,
  QueueHead,
  QueuePick,
  WaitingDelivery,
} from '../../ports/delivery-queue.js';
import type { Attempted } from './attempt.js';
import { type Claim, Claims, type EndedClaim, isSameAttempt } from './claims.js';
import { LaneHeads } from './lane-heads.js';
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
  /** Makes the attempts in progress reject. */
  readonly cutOff: () => Promise<void>;
  /** Makes one attempt. A rejection means that it was not made and does not count. */
  readonly attempt: (delivery: Delivery) => Promise<Attempted>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly newToken: () => string;
  readonly owner: string;
  readonly leaseMs: number;
  /** The retry delays of a delivery's destination, to detect deliveries that a clock set back left due too late. */
  readonly delaysOf: (delivery: WaitingDelivery) => Promise<readonly number[]>;
  readonly limits?: LaneLimits;
  readonly observer: DispatcherObserver;
}

/** With 27 deliveries in a cycle instead of 7, each took 340 µs of processor time instead of 480. */
const gatherMs = 2;
const gatherMost = 32;
/** Characters of bodies in memory. A single larger body is still sent. */
const maxTextUnderWay = 32 * 1024 * 1024;
/** A lost wake-up costs at most this much delay. */
const pollMs = 2_000;
const unmadeDelayMs = 1_000;
const longestUnmadeDelayMs = 5 * 60_000;
const never = Number.NEGATIVE_INFINITY;

export class Dispatcher {
  readonly #loop: CycleLoop;
  readonly #heads = new LaneHeads();
  readonly #lanes: Lanes;
  readonly #claims = new Claims();
  readonly #sends = new Tasks();
  readonly #unmade = new UnmadeAttempts();
  readonly #pullBack: (now: number) => Promise<void>;
  #textUnderWay = 0;
  #polledAt = never;
  /** The last cycle has seen everything that was due at this time. */
  #lookedAt = never;

  constructor(private readonly options: DispatcherOptions) {
    this.#lanes = new Lanes(options.limits);
    this.#pullBack = createPullBack(options);
    this.#loop = new CycleLoop({
      timers: options.timers,
      cycle: () => this.#cycle(),
      waitMs: () => this.#waitMs(),
      failed: (error) => {
        // The failed cycle has forgotten lanes, and it is unknown whether it claimed anything.
        this.#polledAt = never;
        options.observer.failed(error);
      },
    });
  }

  get sending(): number {
    return this.#lanes.sending;
  }

  start(): void {
    this.#loop.request();
  }

  /** Something may be due in these lanes; if empty, in any lane. */
  wake(lanes: readonly string[] = []): void {
    const dueAt = this.options.clock.now();
    if (lanes.length === 0) this.#polledAt = never;
    for (const lane of lanes) this.#heads.expect({ lane, queue: queues.first, dueAt });
    this.#loop.request();
  }

  /** Stops claiming, lets sends finish for `graceMs`, then cuts them off. */
  async stop(graceMs: number): Promise<void> {
    this.#loop.drain();
    await this.#loop.settled();
    if (!(await this.#sends.endedWithin(graceMs, this.options.timers))) await this.options.cutOff();
    await this.#sends.ended();
    await this.#loop.settled();
    // Records what ended last. If a result cannot be recorded now, the attempt is made again after a restart.
    this.#loop.request();
    await this.#loop.settled();
  }

  async #cycle(): Promise<void> {
    if (this.#isPollDue()) await this.#poll();
    // Polling may have taken long, or the clock was set. The lease starts now.
    const now = this.options.clock.now();
    this.#lookedAt = now;
    const picks = this.#pick(now);
    if (picks.length + this.#claims.waiting === 0) return;
    const ended = this.#claims.takeEnded();
    const cycle = this.#plan(ended, picks, now);
    const outcome = await this.options.queue.runCycle(cycle).catch((error: unknown) => {
      this.#claims.cycleFailed(ended, cycle);
      throw error;
    });
    this.#conclude(ended, cycle, new Set(outcome.lost));
    this.#startSends(cycle, outcome);
    if (this.#claims.waiting > 0) this.#loop.request();
  }

  #isPollDue(): boolean {
    const now = this.options.clock.now();
    // A clock that was set back must not prevent polling.
    return !this.#loop.isDraining && (now - this.#polledAt >= pollMs || now < this.#polledAt);
  }

  // Heads are forgotten before the queue is read, here and in `#pick`: a wake-up during the read may be about something that
  // the result does not include yet, and must survive it.
  async #poll(): Promise<void> {
    const now = this.options.clock.now();
    this.#polledAt = now;
    this.#heads.clear();
    await this.#pullBack(now);
    for (const head of await this.options.queue.heads()) this.#heads.expect(head);
  }

  #pick(now: number): readonly QueuePick[] {
    if (this.#loop.isDraining || this.#textUnderWay >= maxTextUnderWay) return [];
    const picks = this.#lanes.pick(this.#heads.due(now));
    this.#heads.forget(picks);
    return picks;
  }

  #plan(ended: readonly EndedClaim[], picks: readonly QueuePick[], now: number): QueueCycle {
    const { newToken, owner, leaseMs } = this.options;
    const records: AttemptRecord[] = [];
    const releases: LeaseRelease[] = [];
    for (const { claim, result, next } of ended) {
      const { token, delivery } = claim;
      const { id: deliveryId, submissionId } = delivery;
      if (result) records.push({ deliveryId, submissionId, token, ...result });
      else {
        const isCutOff = this.#claims.find(deliveryId) === claim;
        releases.push({ deliveryId, token, nextAttemptAt: next.dueAt, isCutOff });
      }
    }
    const lease = { token: newToken(), owner, until: now + leaseMs };
    return { records, releases, unconfirmed: this.#claims.unconfirmed, picks, lease, now };
  }

  #conclude(ended: readonly EndedClaim[], cycle: QueueCycle, lost: ReadonlySet<string>): void {
    const { observer } = this.options;
    const { unconfirmed, now } = cycle;
    const over = this.#claims.cycleSucceeded(ended, lost);
    const gone = over.flatMap(({ claim: { delivery } }) => (lost.has(delivery.id) ? [delivery.id] : []));
    if (gone.length > 0) observer.lost(gone);
    const picked = new Set(cycle.picks.map(laneKey));
    for (const { next } of over) {
      // A picked lane was read after this result was recorded.
      if (next && !picked.has(laneKey(next))) this.#expect(next, now);
    }
    for (const { lane, queue } of unconfirmed) this.#expect({ lane, queue, dueAt: now }, now);
    const recorded = over.flatMap(({ claim, result }) => (result ? [claim.delivery.submissionId] : []));
    if (recorded.length > 0) observer.recorded(recorded);
  }

  /** Requests another cycle for a head that was due in time for this one but became known too late. */
  #expect(head: QueueHead, now: number): void {
    this.#heads.expect(head);
    if (head.dueAt <= now) this.#loop.request();
  }

  #startSends({ picks, lease }: QueueCycle, { found }: CycleOutcome): void {
    for (const [index, { lane, queue }] of picks.entries()) {
      const { due, nextDueAt } = found[index] ?? { due: [], nextDueAt: null };
      if (nextDueAt !== null) this.#heads.expect({ lane, queue, dueAt: nextDueAt });
      for (const delivery of due)
        this.#takeUp({ delivery, token: lease.token, otherTokens: [] }, lease.until);
    }
  }

  #takeUp(claim: Claim, leaseUntil: number): void {
    const now = this.options.clock.now();
    const own = this.#claims.find(claim.delivery.id);
    // We are sending it, but a clock set forward ended its lease, or another process assumed that we had died.
    if (own && isSameAttempt(own, claim.delivery)) adopt(own, claim.token);
    // Another send was requested meanwhile: it must wait until this one is over.
    else if (own) this.#release(claim, now + unmadeDelayMs);
    // We were delayed for the whole lease: another process may be sending it.
    else if (now >= leaseUntil) this.#release(claim, now);
    else this.#sends.add(this.#send(claim), () => this.#sendEnded());
  }

  async #send(claim: Claim): Promise<void> {
    const { delivery } = claim;
    this.#lanes.started(delivery.lane);
    this.#claims.add(claim);
    this.#textUnderWay += delivery.body.length;
    let health: Health | null = null;
    try {
      const attempted = await this.options.attempt(delivery);
      health = healthOf(attempted);
      this.#unmade.reset();
      this.#settle(claim, attempted);
    } catch (error) {
      const now = this.options.clock.now();
      this.#release(claim, this.#loop.isDraining ? now : this.#unmade.retryAt(now));
      if (!this.#loop.isDraining) this.options.observer.failed(error);
    } finally {
      this.#textUnderWay -= delivery.body.length;
      this.#lanes.ended(delivery.lane, health);
    }
  }

  #settle(claim: Claim, attempted: Attempted): void {
    const { delivery } = claim;
    const { clock, random, observer } = this.options;
    const { end, retryAfterMs, delays } = attempted;
    const settled = settle(delivery, { end, endedAt: clock.now(), delays, jitter: random(), retryAfterMs });
    const { queue, nextAttemptAt } = settled;
    const next = nextAttemptAt === null ? null : { lane: delivery.lane, queue, dueAt: nextAttemptAt };
    this.#claims.end({ claim, result: { settled, url: attempted.url, attempt: attempted.attempt }, next });
    observer.attempted(delivery, attempted, settled);
  }

  #release(claim: Claim, dueAt: number): void {
    const { lane, queue } = claim.delivery;
    this.#claims.end({ claim, result: null, next: { lane, queue, dueAt } });
  }

  /** While other sends run, results wait a moment to be batched: a cycle costs about the same for one as for many. */
  #sendEnded(): void {
    const isEnough = this.#claims.waiting >= gatherMost || this.sending === 0;
    if (isEnough) this.#loop.request();
    else this.#loop.requestWithin(gatherMs);
  }

  /** Time until the next head is due. Heads that were due in the last cycle wait for a place, not for a time. */
  #waitMs(): number {
    const untilNext = this.#heads.nextAfter(this.#lookedAt) - this.options.clock.now();
    return Math.min(pollMs, Math.max(0, untilNext));
  }
}

function adopt(claim: Claim, token: string): void {
  claim.token = token;
  claim.otherTokens = [];
}

/**
 * When to retry what could not be attempted: the failure is ours and may last. All failures during one wait have the same
 * cause and count once.
 */
class UnmadeAttempts {
  #inARow = 0;
  #until = never;

  reset(): void {
    this.#inARow = 0;
    this.#until = never;
  }

  retryAt(now: number): number {
    // If it is later than any wait, the clock was set back.
    if (now >= this.#until || this.#until > now + longestUnmadeDelayMs) {
      this.#until = now + Math.min(longestUnmadeDelayMs, unmadeDelayMs * 2 ** Math.min(this.#inARow, 10));
      this.#inARow += 1;
    }
    return this.#until;
  }
}
