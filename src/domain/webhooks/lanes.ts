/**
 * Who may be sent to now. Pure bookkeeping in memory: how many sends are under way to each receiver and each origin, which
 * receivers are in trouble, and which lines of the queue get the free places. It is all forgotten by a restart,
 * and nothing is lost by that.
 *
 * What must stay true: a receiver that hangs holds a few places for one attempt, and one that never answered one place; all that hang, or
 * have not yet shown that they answer, share a part of the places, so that those that answer always have the rest. Of that
 * part those known to hang get only some, so that however many they are, one that is new gets its chance.
 */
import { type Queue, queues } from '../../model/delivery.js';
import type { QueueHead, QueuePick } from '../../ports/delivery-queue.js';

export interface LaneLimits {
  /** Sends at once, over all receivers. */
  readonly total: number;
  /** Of these, for receivers that hang or are not known yet. */
  readonly unproven: number;
  /** And of these, for those that hang. */
  readonly hanging: number;
  readonly perOrigin: number;
  /** For a receiver that has just answered for the first time; one that has not gets one place. */
  readonly perReceiverAtFirst: number;
  /** A row of successes brings it to this. */
  readonly perReceiver: number;
}

export const laneLimits: LaneLimits = {
  // Twice what one busy receiver may have: when it begins to hang, the others have the other half.
  total: 192,
  unproven: 64,
  hanging: 32,
  perOrigin: 96,
  perReceiverAtFirst: 4,
  // A turn waits for the disk meanwhile: 3,050 deliveries a second with 64 of them under way, 3,330 with 96.
  perReceiver: 96,
};

interface Receiver {
  readonly origin: string;
  sending: number;
  limit: number;
  /** By its last attempt. */
  standing: 'unknown' | 'proven' | 'hanging';
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
  #hanging = 0;
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
    let freeHanging = this.limits.hanging - this.#hanging;
    const fits = ({ url }: QueueHead): boolean => {
      const { origin, standing } = this.#receiver(url);
      return (
        (perReceiver.get(url) ?? 0) < this.#room(url) &&
        (perOrigin.get(origin) ?? 0) + (this.#perOrigin.get(origin) ?? 0) < this.limits.perOrigin &&
        (standing === 'proven' || freeUnproven > 0) &&
        (standing !== 'hanging' || freeHanging > 0)
      );
    };
    const load = ({ url }: QueueHead): number => this.#receiver(url).sending + (perReceiver.get(url) ?? 0);
    while (free > 0) {
      const head = this.#next(open.filter(fits), load);
      if (!head) break;
      const { origin, standing } = this.#receiver(head.url);
      taken.set(head, (taken.get(head) ?? 0) + 1);
      perReceiver.set(head.url, (perReceiver.get(head.url) ?? 0) + 1);
      perOrigin.set(origin, (perOrigin.get(origin) ?? 0) + 1);
      free -= 1;
      if (standing !== 'proven') freeUnproven -= 1;
      if (standing === 'hanging') freeHanging -= 1;
    }
    return Array.from(taken, ([{ url, queue }, limit]) => ({ url, queue, limit }));
  }

  started(url: string): void {
    const receiver = this.#receiver(url);
    receiver.sending += 1;
    this.#sending += 1;
    this.#share(receiver, 1);
    this.#perOrigin.set(receiver.origin, (this.#perOrigin.get(receiver.origin) ?? 0) + 1);
  }

  /** `null`: nothing was learnt about the receiver. */
  ended(url: string, health: Health | null): void {
    const receiver = this.#receiver(url);
    receiver.sending -= 1;
    this.#sending -= 1;
    this.#share(receiver, -1);
    const left = (this.#perOrigin.get(receiver.origin) ?? 1) - 1;
    if (left === 0) this.#perOrigin.delete(receiver.origin);
    else this.#perOrigin.set(receiver.origin, left);
    if (health !== null) this.#learn(receiver, health);
    if (this.#receivers.size > maxRemembered && receiver.sending === 0) this.#receivers.delete(url);
  }

  #learn(receiver: Receiver, health: Health): void {
    // Those still under way change their share of the places with the receiver.
    this.#share(receiver, -receiver.sending);
    receiver.standing = health === 'unresponsive' ? 'hanging' : 'proven';
    this.#share(receiver, receiver.sending);
    if (health === 'unresponsive') receiver.limit = 1;
    else if (health === 'answered') {
      const { perReceiverAtFirst, perReceiver } = this.limits;
      receiver.limit = Math.min(Math.max(perReceiverAtFirst, receiver.limit + 1), perReceiver);
    } else receiver.limit = Math.max(2, Math.floor(receiver.limit / 2));
  }

  #share({ standing }: Receiver, places: number): void {
    if (standing !== 'proven') this.#unproven += places;
    if (standing === 'hanging') this.#hanging += places;
  }

  /** The line whose turn it is: by hand first, then by the wheel, then whatever is there; the longest due of it. */
  #next(able: readonly QueueHead[], load: (head: QueueHead) => number): QueueHead | null {
    if (able.length === 0) return null;
    this.#turn = (this.#turn + 1) % wheel.length;
    const wanted = [queues.manual, wheel[this.#turn], queues.first, queues.later, queues.replay];
    for (const queue of wanted) {
      let best: QueueHead | null = null;
      for (const head of able) {
        // Those with the fewest so far first: one long line must not take all the places.
        if (head.queue !== queue) continue;
        if (best === null || load(head) < load(best)) best = head;
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
      receiver = { origin, sending: 0, limit: 1, standing: 'unknown' };
      this.#receivers.set(url, receiver);
    }
    return receiver;
  }
}
