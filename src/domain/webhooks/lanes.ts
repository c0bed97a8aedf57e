/**
 * Who may be sent to now. Pure bookkeeping in memory: how many sends are under way to each receiver and each origin, which
 * receivers are in trouble, and which lines of the queue get the free places. It is all forgotten by a restart,
 * and nothing is lost by that.
 *
 * What must stay true: a receiver that hangs holds its places for one attempt and then one place, and however many busy ones
 * begin to hang at once, half of all places are left; one that never answered holds one place. All that hang, or
 * have not yet shown that they answer, share a part of the places, so that those that answer always have the rest. Of that
 * part those known to hang get only some, so that however many they are, one that is new gets its chance.
 */
import { type Queue, queues } from '../../model/delivery.js';
import type { QueueHead, QueuePick } from '../../ports/delivery-queue.js';
import type { Attempted } from './attempt.js';

export interface LaneLimits {
  /** Sends at once, over all receivers. */
  readonly total: number;
  /** Of these, for receivers that hang or are not known yet. */
  readonly unproven: number;
  /** And of these, for those that hang or are slow. */
  readonly hanging: number;
  readonly perOrigin: number;
  /** For a receiver that has just answered for the first time; one that has not gets one place. */
  readonly perReceiverAtFirst: number;
  /** A row of successes brings it to this. */
  readonly perReceiver: number;
  /** What all receivers together may have beyond their first places: busy ones that begin to hang hold no more. */
  readonly burst: number;
}

export const laneLimits: LaneLimits = {
  total: 256,
  unproven: 64,
  hanging: 32,
  perOrigin: 128,
  perReceiverAtFirst: 4,
  // A turn waits for the disk meanwhile: 3,050 deliveries a second with 64 of them under way, 3,330 with 96; on a slower
  // disk 3,430 with 96, 3,880 with 192.
  perReceiver: 128,
  burst: 128,
};

interface Receiver {
  readonly origin: string;
  sending: number;
  limit: number;
  /** By its last attempt. */
  standing: 'unknown' | 'proven' | 'hanging';
}

/** `slow`: it answered, but its attempts hold their places for long. */
export type Health = 'answered' | 'slow' | 'refused' | 'unresponsive';

/** What remains to be known of receivers that nothing is sent to. */
const maxRemembered = 10_000;

/** Of five picks, so that none of the lines starves; what is sent by hand goes before all. */
const wheel: readonly Queue[] = [queues.first, queues.first, queues.later, queues.first, queues.replay];

export class Lanes {
  /** Those heard of last stand last. */
  readonly #receivers = new Map<string, Receiver>();
  readonly #perOrigin = new Map<string, number>();
  #sending = 0;
  #unproven = 0;
  #hanging = 0;
  #burst = 0;
  #turn = 0;

  constructor(private readonly limits: LaneLimits = laneLimits) {}

  get sending(): number {
    return this.#sending;
  }

  /** Of the lines that are due, which get how many of the free places. */
  pick(due: readonly QueueHead[]): readonly QueuePick[] {
    const round = new Round(this.limits, {
      total: this.#sending,
      unproven: this.#unproven,
      hanging: this.#hanging,
      burst: this.#burst,
      perOrigin: this.#perOrigin,
    });
    const lines = new Map<Queue, Line>();
    for (const head of due) {
      const receiver = this.#receivers.get(head.url);
      const candidate: Candidate = {
        head,
        standing: receiver?.standing ?? 'unknown',
        limit: receiver?.limit ?? 1,
        sending: receiver?.sending ?? 0,
        origin: receiver?.origin ?? null,
        taken: 0,
      };
      if (candidate.limit <= candidate.sending) continue;
      const line = lines.get(head.queue);
      if (line) line.add(candidate);
      else lines.set(head.queue, new Line(candidate));
    }
    for (const line of lines.values()) line.sort();
    const picked = new Set<Candidate>();
    while (round.isOpen) {
      const candidate = this.#next(lines, round);
      if (!candidate) break;
      round.take(candidate);
      picked.add(candidate);
    }
    return Array.from(picked, ({ head: { url, queue }, taken }) => ({ url, queue, limit: taken }));
  }

  started(url: string): void {
    const receiver = this.#receiver(url);
    this.#share(receiver, -1);
    receiver.sending += 1;
    this.#share(receiver, 1);
    this.#sending += 1;
    this.#perOrigin.set(receiver.origin, (this.#perOrigin.get(receiver.origin) ?? 0) + 1);
  }

  /** `null`: nothing was learnt about the receiver. */
  ended(url: string, health: Health | null): void {
    const receiver = this.#receiver(url);
    this.#share(receiver, -1);
    receiver.sending -= 1;
    this.#sending -= 1;
    const left = (this.#perOrigin.get(receiver.origin) ?? 1) - 1;
    if (left === 0) this.#perOrigin.delete(receiver.origin);
    else this.#perOrigin.set(receiver.origin, left);
    if (health !== null) this.#learn(receiver, health);
    this.#share(receiver, 1);
    this.#receivers.delete(url);
    this.#receivers.set(url, receiver);
    if (this.#receivers.size > maxRemembered) this.#forgetOne();
  }

  #learn(receiver: Receiver, health: Health): void {
    receiver.standing = health === 'unresponsive' || health === 'slow' ? 'hanging' : 'proven';
    if (health === 'unresponsive') receiver.limit = 1;
    else if (health === 'slow') receiver.limit = this.limits.perReceiverAtFirst;
    else if (health === 'answered') {
      const { perReceiverAtFirst, perReceiver } = this.limits;
      receiver.limit = Math.min(Math.max(perReceiverAtFirst, receiver.limit + 1), perReceiver);
    } else receiver.limit = Math.max(2, Math.floor(receiver.limit / 2));
  }

  /** Takes what the receiver has now out of the shared counts (-1), or puts it back in (1). */
  #share({ standing, sending }: Receiver, sign: 1 | -1): void {
    if (standing !== 'proven') this.#unproven += sign * sending;
    if (standing === 'hanging') this.#hanging += sign * sending;
    this.#burst += sign * Math.max(0, sending - this.limits.perReceiverAtFirst);
  }

  /** The line whose turn it is: by hand first, then by the wheel, then whatever is there. */
  #next(lines: ReadonlyMap<Queue, Line>, round: Round): Candidate | null {
    this.#turn = (this.#turn + 1) % wheel.length;
    for (const queue of [queues.manual, wheel[this.#turn], queues.first, queues.later, queues.replay]) {
      const candidate = queue === undefined ? null : (lines.get(queue)?.next(round) ?? null);
      if (candidate) return candidate;
    }
    return null;
  }

  #forgetOne(): void {
    for (const [url, { sending }] of this.#receivers) {
      if (sending > 0) continue;
      this.#receivers.delete(url);
      return;
    }
  }

  #receiver(url: string): Receiver {
    let receiver = this.#receivers.get(url);
    if (!receiver) {
      receiver = { origin: originOf(url), sending: 0, limit: 1, standing: 'unknown' };
      this.#receivers.set(url, receiver);
    }
    return receiver;
  }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** A line at one receiver that would like places in this round. */
interface Candidate {
  readonly head: QueueHead;
  readonly standing: Receiver['standing'];
  readonly limit: number;
  readonly sending: number;
  /** Found out when it matters: most of many candidates never come that far. */
  origin: string | null;
  taken: number;
}

/** What is free in one round. Nothing gets freer during it, so who does not fit once never fits. */
class Round {
  #total: number;
  #unproven: number;
  #hanging: number;
  #burst: number;
  readonly #perOrigin = new Map<string, number>();
  readonly #perReceiver = new Map<string, number>();

  constructor(
    private readonly limits: LaneLimits,
    private readonly used: {
      readonly total: number;
      readonly unproven: number;
      readonly hanging: number;
      readonly burst: number;
      readonly perOrigin: ReadonlyMap<string, number>;
    },
  ) {
    this.#total = limits.total - used.total;
    this.#unproven = limits.unproven - used.unproven;
    this.#hanging = limits.hanging - used.hanging;
    this.#burst = limits.burst - used.burst;
  }

  get isOpen(): boolean {
    return this.#total > 0;
  }

  fits(candidate: Candidate): boolean {
    const { standing, limit } = candidate;
    if (standing !== 'proven' && this.#unproven <= 0) return false;
    if (standing === 'hanging' && this.#hanging <= 0) return false;
    const load = this.#load(candidate);
    if (load >= limit || (load >= this.limits.perReceiverAtFirst && this.#burst <= 0)) return false;
    return this.#atOrigin(candidate) < this.limits.perOrigin;
  }

  take(candidate: Candidate): void {
    const { head, standing } = candidate;
    if (this.#load(candidate) >= this.limits.perReceiverAtFirst) this.#burst -= 1;
    candidate.taken += 1;
    this.#perReceiver.set(head.url, (this.#perReceiver.get(head.url) ?? 0) + 1);
    const origin = candidate.origin ?? originOf(head.url);
    this.#perOrigin.set(origin, (this.#perOrigin.get(origin) ?? 0) + 1);
    this.#total -= 1;
    if (standing !== 'proven') this.#unproven -= 1;
    if (standing === 'hanging') this.#hanging -= 1;
  }

  /** Over all its lines. */
  #load({ head, sending }: Candidate): number {
    return sending + (this.#perReceiver.get(head.url) ?? 0);
  }

  #atOrigin(candidate: Candidate): number {
    candidate.origin ??= originOf(candidate.head.url);
    return (this.used.perOrigin.get(candidate.origin) ?? 0) + (this.#perOrigin.get(candidate.origin) ?? 0);
  }
}

/**
 * All receivers of one queue, in turns: those with the fewest under way first, then those that have waited longest. One
 * pass over them for each place that everybody gets, so that thousands of receivers cost no more than a sort.
 */
class Line {
  #now: Candidate[];
  #later: Candidate[] = [];
  #place = 0;

  constructor(first: Candidate) {
    this.#now = [first];
  }

  add(candidate: Candidate): void {
    this.#now.push(candidate);
  }

  sort(): void {
    this.#now.sort((a, b) => a.sending - b.sending || a.head.dueAt - b.head.dueAt);
  }

  next(round: Round): Candidate | null {
    for (;;) {
      const candidate = this.#now[this.#place];
      if (!candidate) {
        if (this.#later.length === 0) return null;
        this.#now = this.#later;
        this.#later = [];
        this.#place = 0;
        continue;
      }
      this.#place += 1;
      if (!round.fits(candidate)) continue;
      this.#later.push(candidate);
      return candidate;
    }
  }
}

/** A receiver that takes longer holds places that many quick ones could use. */
const slowMs = 2_000;

/** What an attempt tells about its receiver; null: nothing. */
export function healthOf({ end, isUnresponsive, attempt }: Attempted): Health | null {
  if (end === 'cancelled') return null;
  if (isUnresponsive) return 'unresponsive';
  if (attempt.durationMs > slowMs) return 'slow';
  return end === 'succeeded' ? 'answered' : 'refused';
}
