/**
 * Hints between parts of the service (and, with a shared adapter, between processes). A signal may be lost or arrive
 * twice; every listener must be correct without it. `test/contracts/signals.ts` runs against every adapter.
 */
export type Signal =
  | { readonly kind: 'intake-changed' }
  /** The lanes with something in them; empty when they are not known. */
  | { readonly kind: 'deliveries-ready'; readonly lanes: readonly string[] }
  /** A file, or a submission with its files, was deleted. */
  | { readonly kind: 'files-changed' }
  /** A submission is durable. Published only while there is a listener: every submission takes this path. */
  | {
      readonly kind: 'submission-received';
      readonly accountId: string;
      readonly projectId: string;
      readonly formId: string;
      readonly submissionId: string;
      readonly createdAt: number;
    }
  /** A destination began to fail, works again, or was disabled for failing. */
  | {
      readonly kind: 'destination-changed';
      readonly accountId: string;
      readonly projectId: string;
      readonly formId: string | null;
      readonly destinationId: string;
      readonly change: 'failing' | 'recovered' | 'disabled';
    }
  /** Users moved, read, starred, assigned, labelled or annotated these; empty for too many to list, or for all. */
  | {
      readonly kind: 'submissions-changed';
      readonly accountId: string;
      readonly projectId: string;
      readonly formId: string;
      readonly submissionIds: readonly string[];
    }
  /** An entry of the audit log is durable. */
  | {
      readonly kind: 'audit-recorded';
      readonly accountId: string;
      readonly seq: number;
      readonly action: string;
    }
  /** An attempt was recorded. */
  | { readonly kind: 'delivery-changed'; readonly submissionId: string };

export interface Signals {
  publish(signal: Signal): void;
  /** Whether there may be a listener for this kind; publishers of frequent signals check first. */
  isHeard(kind: Signal['kind']): boolean;
  /** Returns the function that ends the subscription. A listener never blocks or breaks the publisher. */
  subscribe<K extends Signal['kind']>(
    kind: K,
    listener: (signal: Extract<Signal, { kind: K }>) => void,
  ): () => void;
  close(): Promise<void>;
}
