/** What the processes of `--processes N` and the one that leads them say to each other. */
import type { MetricsSnapshot } from '../../ports/peer-metrics.js';
import type { Started } from './welcome.js';

export type ToLeader =
  /** Said as soon as it is stored: its key must be shown even if the start fails later. */
  | { readonly inlet: 'first-account'; readonly apiKey: string | null }
  | { readonly inlet: 'started'; readonly started: Started }
  /** Its event loop turns; said only where systemd watches. */
  | { readonly inlet: 'alive' }
  | { readonly inlet: 'failed'; readonly lines: readonly string[] }
  | { readonly inlet: 'numbers-wanted'; readonly id: number }
  | { readonly inlet: 'own-numbers'; readonly id: string; readonly numbers: MetricsSnapshot }
  /** Unasked: what the leader keeps of a process that ends. */
  | { readonly inlet: 'lasting-numbers'; readonly numbers: MetricsSnapshot };

export type ToProcess =
  | { readonly inlet: 'stop' }
  | { readonly inlet: 'own-numbers-wanted'; readonly id: string }
  | { readonly inlet: 'numbers'; readonly id: number; readonly numbers: readonly MetricsSnapshot[] };

/** Others write on the same channel. */
export const isOurs = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'inlet' in message;

/** A process that is killed takes what it counted since then with it. */
export const numbersEveryMs = 5_000;

/** A process that does not answer for so long counts with its last numbers. */
export const numbersWithinMs = 2_000;
