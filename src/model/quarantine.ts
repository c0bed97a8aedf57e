/** What a bot sent: kept for its owner to look at, in case it was a person after all. */
import type { SubmissionMetadata } from './submission.js';

export interface Quarantined {
  /** The id that was answered. A release makes a new one. */
  readonly id: string;
  readonly formId: string;
  readonly projectId: string;
  readonly data: string;
  readonly metadata: SubmissionMetadata;
  /** The field that gave it away. */
  readonly field: string;
  /** Files came with it; their bytes were not kept. */
  readonly filesDropped: number;
  readonly createdAt: number;
}

export const quarantineLifeMs = 30 * 86_400_000;

/** A flood of spam must not fill the disk: the oldest are deleted first. Characters of data beside the number. */
export const maxQuarantined = { perForm: 1_000, textPerForm: 64 * 1024 * 1024 } as const;
