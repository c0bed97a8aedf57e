/** Requests that a form's endpoint refused, as its owner sees them: why, and what was seen. */
import type { RejectionReason } from '../contract/rejections.js';

export interface Rejections {
  readonly id: string;
  readonly formId: string;
  readonly reason: RejectionReason;
  readonly at: number;
  /** In words: `Origin: https://staging.example.com`. Written by visitors, but one line, bounded and without control characters. */
  readonly seen: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** Of one form and reason; older ones make room. */
export const examplesKept = 5;
