/**
 * Hints between parts of the service (and, with a shared adapter, between processes). A signal may be lost or
 * come twice; everything that listens must also be right without it. `test/contracts/signals.ts` holds it to that.
 */
export type Signal = { readonly kind: 'intake-changed' } | { readonly kind: 'deliveries-ready' };

export interface Signals {
  publish(signal: Signal): void;
  /** Returns the function that ends the subscription. A listener never blocks or breaks the publisher. */
  subscribe<K extends Signal['kind']>(
    kind: K,
    listener: (signal: Extract<Signal, { kind: K }>) => void,
  ): () => void;
  close(): Promise<void>;
}
