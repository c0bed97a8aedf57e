/** Repeatable randomness: the same seed gives the same numbers. */
export interface Chance {
  readonly seed: number;
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** An integer from `low` to `high`, both inclusive. */
  between(low: number, high: number): number;
  bytes(length: number): Buffer;
}

/** mulberry32: small, and good enough to spread kills and sizes. */
export function seeded(seed: number): Chance {
  let state = seed >>> 0;
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const next = (): number => word() / 2 ** 32;
  return {
    seed,
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    bytes(length) {
      const bytes = Buffer.allocUnsafe(length);
      let at = 0;
      for (; at + 4 <= length; at += 4) bytes.writeUInt32LE(word(), at);
      for (; at < length; at += 1) bytes[at] = word() & 0xff;
      return bytes;
    },
  };
}

/** The seed of this run: from the environment, to repeat a run, or a new one. */
export const runSeed = (): number => Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 32));
