/**
 * Time that advances only when everything waits. What is due at the same instant runs in an order that the seed decides, and now and then
 * two things happen before anything can react to the first: both are how real races look.
 */
import type { Timers } from '../../src/kernel/clock.js';
import type { Chance } from './seeded.js';

interface Event {
  readonly at: number;
  readonly tie: number;
  readonly call: () => void;
  isCalledOff: boolean;
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.tie < b.tie);

/** Lets pending promises react. Nothing in a simulation waits for anything real. */
const reactions = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class VirtualTime implements Timers {
  #now = 0;
  /** A heap with the earliest event at its top. */
  readonly #events: Event[] = [];

  constructor(private readonly chance: Chance) {}

  get now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const event = { at: this.#now + Math.max(0, ms), tie: this.chance.next(), call, isCalledOff: false };
    this.#push(event);
    return () => {
      event.isCalledOff = true;
    };
  }

  /** Runs until `isOver`, or until the given time. Returns false when the time is up or no event is left. */
  async run(until: number, isOver: () => boolean): Promise<boolean> {
    let isUnheard = true;
    for (;;) {
      if (isOver()) return true;
      // Nothing waits for a cancelled event.
      while (this.#events[0]?.isCalledOff) this.#pop();
      if (isUnheard && this.#events[0]?.at !== this.#now) {
        await reactions();
        isUnheard = false;
        continue;
      }
      const event = this.#pop();
      if (!event || event.at > until) return false;
      if (event.isCalledOff) continue;
      this.#now = event.at;
      event.call();
      isUnheard = this.chance.next() < 0.15;
      if (!isUnheard) await reactions();
    }
  }

  #push(event: Event): void {
    const heap = this.#events;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up];
      if (!parent || isBefore(parent, event)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#events;
    const top = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = right !== undefined && left !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (!child || isBefore(last, child)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
    return top;
  }
}
