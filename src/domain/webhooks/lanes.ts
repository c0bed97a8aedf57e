/**
 * Who may be sent to now. Pure bookkeeping in memory: how many sends are under way to each receiver and each origin, which
 * receivers are in trouble, and which lines of the queue get the free places. It is all forgotten by a restart,
 * and nothing is lost by that.
 *
 * What must stay true: a receiver that hangs holds a few places for one attempt and then one place; all that hang, or
 * have not yet shown that they answer, share a part of the places, so that those that answer always have the rest.
 */
import { type Queue, queues } from '../../model/delivery.js';
import type { QueueHead, QueuePick } from '../../ports/delivery-queue.js';

export interface LaneLimits {
  /** Sends at once, over all receivers. */
  readonly total: number;
  /** Of these, for receivers that hang or are not known yet. */
  readonly unproven: number;
  readonly perOrigin: number;
  /** A receiver starts with the first number, and a row of successes brings it to the second. */
  readonly perReceiverAtFirst: number;
  readonly perReceiver: number;
}

export const laneLimits: LaneLimits = {
  total: 64,
  unproven: 32,
  perOrigin: 24,
  perReceiverAtFirst: 4,
  perReceiver: 16,
};

interface Receiver {
  readonly origin: string;
  sending: number;
  limit: number;
  /** Its last attempt had an answer. */
  proven: boolean;
}

export type Health = 'answered' | 'refused' | 'unresponsive';

/** What remains to be known of receivers that nothing is sent to. */
const maxRemembered = 10_000;

/** Of five picks, so that none of the lines starves; what is sent by hand goes before all. */
const wheel: readonly Queue[] = [queues.first, queues.first, queues.later, queues.first, queues.replay];

export class Lanes {
  readonly #receivers = new Map<string, Receiver>();
  readonly #perOrigin = new Map<string, number>();
  #sending = 0;
  #unproven = 0;
  #turn = 0;

  constructor(private readonly limits: LaneLimits = laneLimits) {}

  get sending(): number {
    return this.#sending;
  }

  /** Of the lines that are due, which get how many of the free places. */
  pick(due: readonly QueueHead[]): readonly QueuePick[] {
    const open = due.filter((head) => this.#room(head.url) > 0).sort((a, b) => a.dueAt - b.dueAt);
    const taken = new Map<QueueHead, number>();
    const perReceiver = new Map<string, number>();
    const perOrigin = new Map<string, number>();
    let free = this.limits.total - this.#sending;
    let freeUnproven = this.limits.unproven - this.#unproven;
    const fits = ({ url }: QueueHead): boolean => {
      const { origin, proven } = this.#receiver(url);
      return (
        (perReceiver.get(url) ?? 0) < this.#room(url) &&
        (perOrigin.get(origin) ?? 0) + (this.#perOrigin.get(origin) ?? 0) < this.limits.perOrigin &&
        (proven || freeUnproven > 0)
      );
    };
    while (free > 0) {
      const head = this.#next(open, taken, fits);
      if (!head) break;
      const { origin, proven } = this.#receiver(head.url);
      taken.set(head, (taken.get(head) ?? 0) + 1);
      perReceiver.set(head.url, (perReceiver.get(head.url) ?? 0) + 1);
      perOrigin.set(origin, (perOrigin.get(origin) ?? 0) + 1);
      free -= 1;
      if (!proven) freeUnproven -= 1;
    }
    return Array.from(taken, ([{ url, queue }, limit]) => ({ url, queue, limit }));
  }

  started(url: string): void {
    const receiver = this.#receiver(url);
    receiver.sending += 1;
    this.#sending += 1;
    if (!receiver.proven) this.#unproven += 1;
    this.#perOrigin.set(receiver.origin, (this.#perOrigin.get(receiver.origin) ?? 0) + 1);
  }

  /** `null`: nothing was learnt about the receiver. */
  ended(url: string, health: Health | null): void {
    const receiver = this.#receiver(url);
    receiver.sending -= 1;
    this.#sending -= 1;
    if (!receiver.proven) this.#unproven -= 1;
    const left = (this.#perOrigin.get(receiver.origin) ?? 1) - 1;
    if (left === 0) this.#perOrigin.delete(receiver.origin);
    else this.#perOrigin.set(receiver.origin, left);
    if (health !== null) this.#learn(receiver, health);
    if (this.#receivers.size > maxRemembered && receiver.sending === 0) this.#receivers.delete(url);
  }

  #learn(receiver: Receiver, health: Health): void {
    const proven = health !== 'unresponsive';
    // Those still under way change their share of the places with the receiver.
    if (proven !== receiver.proven) this.#unproven += proven ? -receiver.sending : receiver.sending;
    receiver.proven = proven;
    if (health === 'unresponsive') receiver.limit = 1;
    else if (health === 'answered') receiver.limit = Math.min(receiver.limit + 1, this.limits.perReceiver);
    else receiver.limit = Math.max(2, Math.floor(receiver.limit / 2));
  }

  /** The line whose turn it is: by hand first, then by the wheel, then whatever is there; the longest due of it. */
  #next(
    open: readonly QueueHead[],
    taken: ReadonlyMap<QueueHead, number>,
    fits: (head: QueueHead) => boolean,
  ): QueueHead | null {
    const able = open.filter(fits);
    if (able.length === 0) return null;
    this.#turn = (this.#turn + 1) % wheel.length;
    const wanted = [queues.manual, wheel[this.#turn], queues.first, queues.later, queues.replay];
    for (const queue of wanted) {
      let best: QueueHead | null = null;
      for (const head of able) {
        // Those with the fewest so far first: one long line must not take all places of a round.
        if (head.queue !== queue) continue;
        if (best === null || (taken.get(head) ?? 0) < (taken.get(best) ?? 0)) best = head;
      }
      if (best) return best;
    }
    return null;
  }

  #room(url: string): number {
    const { limit, sending } = this.#receiver(url);
    return limit - sending;
  }

  #receiver(url: string): Receiver {
    let receiver = this.#receivers.get(url);
    if (!receiver) {
      const origin = URL.canParse(url) ? new URL(url).origin : url;
      receiver = { origin, sending: 0, limit: this.limits.perReceiverAtFirst, proven: false };
      this.#receivers.set(url, receiver);
    }
    return receiver;
  }
}
