/** Chance that can be repeated: the same seed, the same numbers. */
export interface Chance {
  readonly seed: number;
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
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

/** The seed of this run: given by the environment, to repeat one, or new. */
export const runSeed = (): number => Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 32));
