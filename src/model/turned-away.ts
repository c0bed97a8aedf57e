/** Requests that a form's endpoint refused, as its owner sees them: why, and what was seen. */

/** The names are stored and shown; one that is no longer used stays readable. */
export const turnAwayReasons = [
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
] as const;
export type TurnAwayReason = (typeof turnAwayReasons)[number];

export interface TurnedAway {
  readonly id: string;
  readonly formId: string;
  readonly reason: TurnAwayReason;
  readonly at: number;
  /** In words: `Origin: https://staging.example.com`. Of strangers, but one line, bounded and without control characters. */
  readonly seen: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** Of one form and reason; older ones make room. */
export const examplesKept = 5;
