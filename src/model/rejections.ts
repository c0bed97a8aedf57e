/** Requests that a form's endpoint refused, as its owner sees them: why, and what was seen. */

/** The names are stored and shown; one that is no longer used stays readable. */
export const rejectionReasons = [
  'origin',
  'sandbox',
  'localhost',
  'inactive',
  'blocked',
  'service_key',
  'rate',
  'captcha',
  'honeypot',
  'size',
  'content_type',
  'plan',
  'webhook_loop',
  'redirect',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

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
