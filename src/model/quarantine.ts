/** A submission that looks like spam, stored for the form's owner to review in case it came from a person. */
import type { SubmissionMetadata } from './submission.js';

export interface Quarantined {
  /** The id in the response to the client. Releasing the submission creates a new one. */
  readonly id: string;
  readonly formId: string;
  readonly projectId: string;
  readonly data: string;
  readonly metadata: SubmissionMetadata;
  /** The honeypot field that was filled in. */
  readonly field: string;
  /** How many files came with it. Their bytes were not stored. */
  readonly filesDropped: number;
  readonly createdAt: number;
}

export const quarantineLifeMs = 30 * 86_400_000;

/** A flood of spam must not fill the disk: the oldest are deleted first. Limits the number and the characters of data. */
export const maxQuarantined = { perForm: 1_000, textPerForm: 64 * 1024 * 1024 } as const;
