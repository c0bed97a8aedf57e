/** The messages between the processes of `--processes N` and their leader. */
import type { MetricsSnapshot } from '../../ports/peer-metrics.js';
import type { Started } from './welcome.js';

export type ToLeader =
  /** Sent as soon as the account is stored: its key must be shown even if the start fails later. */
  | { readonly inlet: 'first-account'; readonly apiKey: string | null }
  | { readonly inlet: 'started'; readonly started: Started }
  /** The event loop is not blocked. Sent only when systemd watches. */
  | { readonly inlet: 'alive' }
  | { readonly inlet: 'failed'; readonly lines: readonly string[] }
  | { readonly inlet: 'numbers-wanted'; readonly id: number }
  | { readonly inlet: 'own-numbers'; readonly id: string; readonly numbers: MetricsSnapshot }
  /** Sent without a request: what the leader stores for when the process ends. */
  | { readonly inlet: 'lasting-numbers'; readonly numbers: MetricsSnapshot };

export type ToProcess =
  | { readonly inlet: 'stop' }
  | { readonly inlet: 'own-numbers-wanted'; readonly id: string }
  | { readonly inlet: 'numbers'; readonly id: number; readonly numbers: readonly MetricsSnapshot[] };

/** The channel also carries messages that are not ours. */
export const isOurs = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'inlet' in message;

/** A process that is killed loses what it has counted since its last report. */
export const numbersEveryMs = 5_000;

/** A process that does not respond within this time counts with its last report. */
export const numbersWithinMs = 2_000;
