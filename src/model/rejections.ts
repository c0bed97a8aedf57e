/** Requests that a form's endpoint rejected, as its owner sees them: the reason, and what was seen. */
import type { RejectionReason } from '../contract/rejections.js';

export interface Rejections {
  readonly id: string;
  readonly formId: string;
  readonly reason: RejectionReason;
  readonly at: number;
  /** In words: `Origin: https://staging.example.com`. From visitors, but on one line, bounded and without control characters. */
  readonly seen: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** For each form and reason. Older examples are deleted. */
export const examplesKept = 5;
