/**
 * A few slots with a waiting room, shared fairly between networks.
 *
 * Invariants: among the waiting callers, the network that was served least goes first (the widest network decides, then
 * the narrower ones inside it), so a flood from a few networks delays only itself. The room is bounded: when it is full, a
 * newcomer replaces the last waiter of the most crowded network. If all waiters for one subject are equal, the newcomer
 * takes over the place of a random one, with what is left of its delay. So all have the same chance, regardless of the
 * order of arrival, and no more of them are served. Known callers and others take turns, so that neither group can starve
 * the other.
 */
import { systemTimers, type Timers } from './clock.js';

export interface Caller {
  /** Widest first. */
  readonly networks: readonly string[];
  /** What the caller wants. No single subject can fill the room. */
  readonly subject: string;
  readonly isKnown: boolean;
  /** The caller gets no slot before this time has passed. */
  readonly delayMs: number;
}

export interface Room {
  readonly slots: number;
  /** Waiting callers in total. */
  readonly maxWaiting: number;
  /** Callers from one widest network, waiting or being served. */
  readonly maxPerNetwork: number;
  /** Waiting callers for one subject, except known ones. */
  readonly maxPerSubject: number;
  readonly patienceMs: number;
}

type Answer = (free: (() => void) | null) => void;

interface Waiter {
  /** Changes together with `answer` when another caller takes over this place. */
  caller: Caller;
  answer: Answer;
  isReady: boolean;
  readonly callOff: () => void;
}

interface Tally {
  /** Waiting or being served now. */
  present: number;
  /** Served since this network last had no callers present. */
  served: number;
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export class FairSlots {
  #used = 0;
  #knownWasLast = false;
  /** In order of arrival. */
  #waiting: Waiter[] = [];
  readonly #tallies = new Map<string, Tally>();

  constructor(
    private readonly room: Room,
    private readonly timers: Timers = systemTimers,
    /** Returns a random whole number from 0 to `below` - 1. */
    private readonly pick: (below: number) => number = (below) => Math.floor(Math.random() * below),
  ) {}

  /** Resolves with the function that frees the slot, or null when the room is full, another caller took the place, or time is up. */
  enter(caller: Caller): Promise<(() => void) | null> {
    return new Promise((answer) => {
      const isReady = caller.delayMs <= 0;
      if (!(isReady && this.#used < this.room.slots) && !this.#makeRoom(caller)) {
        if (!this.#takeOver(caller, answer)) answer(null);
        return;
      }
      const calls = [
        this.timers.after(caller.delayMs + this.room.patienceMs, () => this.#leave(waiter)),
        ...(isReady ? [] : [this.timers.after(caller.delayMs, () => this.#wake(waiter))]),
      ];
      const waiter: Waiter = {
        caller,
        answer,
        isReady,
        callOff() {
          for (const callOff of calls) callOff();
        },
      };
      this.#waiting.push(waiter);
      this.#come(caller);
      this.#letIn();
    });
  }

  #count(caller: Caller, change: (tally: Tally) => void): void {
    for (const network of new Set(caller.networks)) {
      const tally = this.#tallies.get(network) ?? { present: 0, served: 0 };
      change(tally);
      if (tally.present > 0) this.#tallies.set(network, tally);
      else this.#tallies.delete(network);
    }
  }

  #figures(caller: Caller, figure: keyof Tally): number[] {
    return caller.networks.map((network) => this.#tallies.get(network)?.[figure] ?? 0);
  }

  /** Waiting callers for the same subject, except known ones. */
  #rivals(caller: Caller): Waiter[] {
    return this.#waiting.filter(({ caller: other }) => !other.isKnown && other.subject === caller.subject);
  }

  #isSubjectFull(caller: Caller): boolean {
    return !caller.isKnown && this.#rivals(caller).length >= this.room.maxPerSubject;
  }

  #isNetworkFull(caller: Caller): boolean {
    return (this.#figures(caller, 'present')[0] ?? 0) >= this.room.maxPerNetwork;
  }

  /** Returns false when there is no room and no waiter that has to give way to this caller. */
  #makeRoom(caller: Caller): boolean {
    const sameNetwork = ({ caller: other }: Waiter): boolean => other.networks[0] === caller.networks[0];
    const isSubjectFull = this.#isSubjectFull(caller);
    const isNetworkFull = this.#isNetworkFull(caller);
    if (!isSubjectFull && !isNetworkFull && this.#waiting.length < this.room.maxWaiting) return true;
    const crowd = (isSubjectFull ? this.#rivals(caller) : this.#waiting).filter(
      (waiter) => !waiter.caller.isKnown && (!isNetworkFull || sameNetwork(waiter)),
    );
    let last: { waiter: Waiter; present: readonly number[] } | null = null;
    for (const waiter of crowd) {
      const present = this.#figures(waiter.caller, 'present');
      if (last === null || compare(present, last.present) >= 0) last = { waiter, present };
    }
    if (last === null) return false;
    const mine = this.#figures(caller, 'present').map((present) => present + 1);
    // Within one network the widest count is the same for both, and replacing a waiter does not change it.
    const from = last.waiter.caller.networks[0] === caller.networks[0] ? 1 : 0;
    if (!caller.isKnown && compare(last.present.slice(from), mine.slice(from)) <= 0) return false;
    this.#leave(last.waiter);
    return true;
  }

  /** Replaces a random waiter for the same subject whose networks are at least as crowded. Returns false when there is none. */
  #takeOver(caller: Caller, answer: Answer): boolean {
    if (!this.#isSubjectFull(caller) || this.#isNetworkFull(caller)) return false;
    const mine = this.#figures(caller, 'present').map((present) => present + 1);
    const equals = this.#rivals(caller).filter(
      (waiter) => compare(this.#figures(waiter.caller, 'present'), mine) >= 0,
    );
    const waiter = equals[this.pick(equals.length)];
    if (waiter === undefined) return false;
    waiter.answer(null);
    this.#gone(waiter.caller);
    waiter.caller = caller;
    waiter.answer = answer;
    this.#come(caller);
    return true;
  }

  #wake(waiter: Waiter): void {
    waiter.isReady = true;
    this.#letIn();
  }

  #remove(waiter: Waiter): boolean {
    const place = this.#waiting.indexOf(waiter);
    if (place !== -1) this.#waiting.splice(place, 1);
    return place !== -1;
  }

  #leave(waiter: Waiter): void {
    if (!this.#remove(waiter)) return;
    this.#gone(waiter.caller);
    waiter.callOff();
    waiter.answer(null);
  }

  #come(caller: Caller): void {
    this.#count(caller, (tally) => {
      tally.present += 1;
    });
  }

  #gone(caller: Caller): void {
    this.#count(caller, (tally) => {
      tally.present -= 1;
    });
  }

  #next(): Waiter | null {
    const ready = this.#waiting.filter(({ isReady }) => isReady);
    const known = ready.filter(({ caller }) => caller.isKnown);
    const others = ready.filter(({ caller }) => !caller.isKnown);
    const queue = known.length > 0 && (others.length === 0 || !this.#knownWasLast) ? known : others;
    let next: { waiter: Waiter; served: readonly number[] } | null = null;
    for (const waiter of queue) {
      const served = this.#figures(waiter.caller, 'served');
      if (next === null || compare(served, next.served) < 0) next = { waiter, served };
    }
    return next?.waiter ?? null;
  }

  #letIn(): void {
    while (this.#used < this.room.slots) {
      const waiter = this.#next();
      if (waiter === null) return;
      const { caller } = waiter;
      this.#remove(waiter);
      this.#used += 1;
      this.#knownWasLast = caller.isKnown;
      this.#count(caller, (tally) => {
        tally.served += 1;
      });
      let isFreed = false;
      waiter.callOff();
      waiter.answer(() => {
        if (isFreed) return;
        isFreed = true;
        this.#used -= 1;
        this.#gone(caller);
        this.#letIn();
      });
    }
  }
}
