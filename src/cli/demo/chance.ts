/** Repeatable randomness: every demo has the same submissions. */
export interface Chance {
  /** From 0 to 1, excluding 1. */
  next(): number;
  /** A whole number below this one. */
  below(count: number): number;
  pick<T>(of: readonly T[]): T;
}

/** mulberry32 */
export function createChance(seed: number): Chance {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    pick(of) {
      const [first] = of;
      if (first === undefined) throw new Error('There is nothing to pick from');
      return of[below(of.length)] ?? first;
    },
  };
}
