/**
 * Decides which lanes may send now. Pure bookkeeping in memory: how many sends are in progress to each destination and origin,
 * which destinations are in trouble, and which lanes get the free places. A restart forgets it all without any loss.
 *
 * Invariants: a destination that hangs occupies its places for one attempt and then one place; one that never responded
 * occupies one place. However many busy destinations begin to hang at once, half of all places stay free. All destinations
 * that hang, or have not responded yet, share a part of the places, so that the responding ones always have the rest. Of that
 * part, those known to hang get only some, so that a new destination gets its chance however many hang.
 */
import { mailOrigin, originOf, type Queue, queues } from '../../model/delivery.js';
import type { QueueHead, QueuePick } from '../../ports/delivery-queue.js';
import type { Attempted } from './attempt.js';

export interface LaneLimits {
  /** Concurrent sends over all destinations. */
  readonly total: number;
  /** Of these, for destinations that hang or are not known yet. */
  readonly unproven: number;
  /** Of those in turn, for destinations that hang or are slow. */
  readonly hanging: number;
  readonly perOrigin: number;
  /** Lower limits for some origins: to the mail server we open few connections. */
  readonly origins: Readonly<Record<string, number>>;
  /** For a destination that has just responded for the first time. Before that it gets one place. */
  readonly perDestinationAtFirst: number;
  /** The limit that a destination reaches after a row of successes. */
  readonly perDestination: number;
  /** Places beyond their first ones, for all destinations together: busy ones that begin to hang occupy no more. */
  readonly burst: number;
}

export const laneLimits: LaneLimits = {
  total: 256,
  unproven: 64,
  hanging: 32,
  perOrigin: 128,
  origins: { [mailOrigin]: 2 },
  perDestinationAtFirst: 4,
  // Sends continue while a cycle waits for the disk: 3,050 deliveries a second with 64 in progress, 3,330 with 96; on a slower
  // disk 3,430 with 96, 3,880 with 192.
  perDestination: 128,
  burst: 128,
};

interface Destination {
  readonly origin: string;
  sending: number;
  limit: number;
  /** Judged by its last attempt. */
  standing: 'unknown' | 'proven' | 'hanging';
}

const unknown = { sending: 0, limit: 1, standing: 'unknown' } as const;

/** `slow`: it responded, but its attempts occupy their places for long. */
export type Health = 'answered' | 'slow' | 'refused' | 'unresponsive';

/** Beyond this, the idle destination that was used least recently is forgotten. */
const maxRemembered = 10_000;

/** How five places are distributed, so that no queue starves. Manual sends come before all others. */
const wheel: readonly Queue[] = [queues.first, queues.first, queues.later, queues.first, queues.replay];

export class Lanes {
  readonly #destinations = new Map<string, Destination>();
  readonly #perOrigin = new Map<string, number>();
  #sending = 0;
  #unproven = 0;
  #hanging = 0;
  #burst = 0;
  #wheelAt = 0;

  constructor(private readonly limits: LaneLimits = laneLimits) {}

  get sending(): number {
    return this.#sending;
  }

  /** Distributes the free places among the lanes that are due. */
  pick(due: readonly QueueHead[]): readonly QueuePick[] {
    const rotations = this.#rotations(due);
    const picked = new Set<Candidate>();
    while (this.#sending < this.limits.total) {
      const candidate = this.#next(rotations);
      if (!candidate) break;
      // As if it were being sent, so that the next candidate sees the place taken.
      this.started(candidate.head.lane);
      candidate.places += 1;
      picked.add(candidate);
    }
    for (const { head, places } of picked) {
      for (let i = 0; i < places; i += 1) this.ended(head.lane, null);
    }
    return Array.from(picked, ({ head: { lane, queue }, places }) => ({ lane, queue, limit: places }));
  }

  started(lane: string): void {
    let destination = this.#destinations.get(lane);
    if (!destination) {
      destination = { ...unknown, origin: originOf(lane) };
      this.#destinations.set(lane, destination);
    }
    this.#add(destination, 1);
  }

  /** `health` is null when nothing was learnt about the destination. */
  ended(lane: string, health: Health | null): void {
    const destination = this.#destinations.get(lane);
    if (!destination) return;
    this.#add(destination, -1);
    if (health !== null) this.#learn(destination, health);
    // Moves it to the end, so that the least recently used come first.
    this.#destinations.delete(lane);
    if (destination.standing !== 'unknown' || destination.sending > 0)
      this.#destinations.set(lane, destination);
    if (this.#destinations.size > maxRemembered) this.#forgetOne();
  }

  #rotations(due: readonly QueueHead[]): ReadonlyMap<Queue, Rotation> {
    const candidates = new Map<Queue, Candidate[]>();
    for (const head of due) {
      const { sending, limit } = this.#destinations.get(head.lane) ?? unknown;
      if (sending >= limit) continue;
      const others = candidates.get(head.queue);
      const candidate = { head, sending, places: 0 };
      if (others) others.push(candidate);
      else candidates.set(head.queue, [candidate]);
    }
    return new Map(Array.from(candidates, ([queue, all]) => [queue, new Rotation(all)]));
  }

  /** Manual sends first, then by the wheel, then whatever is there. */
  #next(rotations: ReadonlyMap<Queue, Rotation>): Candidate | null {
    this.#wheelAt = (this.#wheelAt + 1) % wheel.length;
    for (const queue of [queues.manual, wheel[this.#wheelAt], queues.first, queues.later, queues.replay]) {
      const candidate =
        queue === undefined ? null : rotations.get(queue)?.next((lane) => this.#hasPlace(lane));
      if (candidate) return candidate;
    }
    return null;
  }

  #hasPlace(lane: string): boolean {
    const destination = this.#destinations.get(lane);
    const { standing, sending, limit } = destination ?? unknown;
    const { limits } = this;
    if (standing !== 'proven' && this.#unproven >= limits.unproven) return false;
    if (standing === 'hanging' && this.#hanging >= limits.hanging) return false;
    if (sending >= limit) return false;
    if (sending >= limits.perDestinationAtFirst && this.#burst >= limits.burst) return false;
    return this.#hasPlaceAt(destination?.origin ?? originOf(lane));
  }

  #hasPlaceAt(origin: string): boolean {
    const { perOrigin, origins } = this.limits;
    return (this.#perOrigin.get(origin) ?? 0) < (origins[origin] ?? perOrigin);
  }

  /** Counts one send more or less. */
  #add(destination: Destination, sends: 1 | -1): void {
    this.#share(destination, -1);
    destination.sending += sends;
    this.#share(destination, 1);
    this.#sending += sends;
    const atOrigin = (this.#perOrigin.get(destination.origin) ?? 0) + sends;
    if (atOrigin === 0) this.#perOrigin.delete(destination.origin);
    else this.#perOrigin.set(destination.origin, atOrigin);
  }

  #learn(destination: Destination, health: Health): void {
    this.#share(destination, -1);
    destination.standing = health === 'unresponsive' || health === 'slow' ? 'hanging' : 'proven';
    destination.limit = this.#limitAfter(health, destination.limit);
    this.#share(destination, 1);
  }

  #limitAfter(health: Health, limit: number): number {
    const { perDestinationAtFirst, perDestination } = this.limits;
    if (health === 'unresponsive') return 1;
    if (health === 'slow') return perDestinationAtFirst;
    if (health === 'refused') return Math.max(2, Math.floor(limit / 2));
    return Math.min(Math.max(perDestinationAtFirst, limit + 1), perDestination);
  }

  /** Removes the destination's current sends from the shared counts (-1), or adds them again (1). */
  #share({ standing, sending }: Destination, sign: 1 | -1): void {
    if (standing !== 'proven') this.#unproven += sign * sending;
    if (standing === 'hanging') this.#hanging += sign * sending;
    this.#burst += sign * Math.max(0, sending - this.limits.perDestinationAtFirst);
  }

  #forgetOne(): void {
    for (const [lane, { sending }] of this.#destinations) {
      if (sending > 0) continue;
      this.#destinations.delete(lane);
      return;
    }
  }
}

/** A lane that could use places. */
interface Candidate {
  readonly head: QueueHead;
  /** Sends to its destination before any place is assigned. */
  readonly sending: number;
  places: number;
}

/**
 * All lanes of one queue: those with the fewest sends first, then those that have waited longest. Each round gives every lane
 * one place, so that thousands of lanes cost no more than a sort.
 */
class Rotation {
  #now: Candidate[];
  #later: Candidate[] = [];
  #at = 0;

  constructor(candidates: readonly Candidate[]) {
    this.#now = candidates.toSorted((a, b) => a.sending - b.sending || a.head.dueAt - b.head.dueAt);
  }

  /** No place becomes free while places are assigned, so a lane without a place is dropped. */
  next(hasPlace: (lane: string) => boolean): Candidate | null {
    for (;;) {
      const candidate = this.#now[this.#at];
      if (!candidate) {
        if (this.#later.length === 0) return null;
        this.#now = this.#later;
        this.#later = [];
        this.#at = 0;
        continue;
      }
      this.#at += 1;
      if (!hasPlace(candidate.head.lane)) continue;
      this.#later.push(candidate);
      return candidate;
    }
  }
}

/** A destination that takes longer occupies places that many quick ones could use. */
const slowMs = 2_000;

/** Returns what an attempt shows about its destination, or null for nothing. */
export function healthOf({ end, isUnresponsive, attempt }: Attempted): Health | null {
  if (end === 'cancelled') return null;
  if (isUnresponsive) return 'unresponsive';
  if (attempt.durationMs > slowMs) return 'slow';
  return end === 'succeeded' ? 'answered' : 'refused';
}
