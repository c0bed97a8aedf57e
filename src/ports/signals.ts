/**
 * Hints between parts of the service (and, with a shared adapter, between processes). A signal may be lost or
 * come twice; everything that listens must also be right without it. `test/contracts/signals.ts` holds it to that.
 */
export type Signal =
  | { readonly kind: 'intake-changed' }
  /** The lanes that there is something in; empty when it is not known which. */
  | { readonly kind: 'deliveries-ready'; readonly lanes: readonly string[] }
  /** A file, or a submission with its files, was deleted. */
  | { readonly kind: 'files-changed' }
  /** A submission is durable. Published only while somebody listens: this is the path of all submissions. */
  | {
      readonly kind: 'submission-received';
      readonly accountId: string;
      readonly projectId: string;
      readonly formId: string;
      readonly submissionId: string;
      readonly createdAt: number;
    }
  /** A destination began to fail, works again, or was disabled because it failed. */
  | {
      readonly kind: 'destination-changed';
      readonly accountId: string;
      readonly projectId: string;
      readonly formId: string | null;
      readonly destinationId: string;
      readonly change: 'failing' | 'recovered' | 'disabled';
    }
  /** People moved, read, starred, assigned, labelled or noted something on these; empty: on too many to name, or on all. */
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
  /** Whether somebody may hear signals of this kind; those who would publish many ask first. */
  isHeard(kind: Signal['kind']): boolean;
  /** Returns the function that ends the subscription. A listener never blocks or breaks the publisher. */
  subscribe<K extends Signal['kind']>(
    kind: K,
    listener: (signal: Extract<Signal, { kind: K }>) => void,
  ): () => void;
  close(): Promise<void>;
}
