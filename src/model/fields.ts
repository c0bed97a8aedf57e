/**
 * The fields of one submission as the visitor sent them, in their order.
 *
 * `json` is the text of one JSON object and is what gets stored, delivered and answered, byte for byte:
 * a JavaScript object would reorder keys such as "10" and "2" and would round large numbers.
 * Reserved fields are never in it; those that carried a value are in `reserved`.
 */
export interface SubmittedFields {
  readonly json: string;
  /** Values of the reserved fields that were sent with a non-empty value (the first one, as text). */
  readonly reserved: ReadonlyMap<string, string>;
}

/** Names that steer the service and never reach the data (interface 4.4, decisions 5). */
export const reservedFields: ReadonlySet<string> = new Set([
  '_gotcha',
  '_honeypot',
  '_csrf',
  'challenge-response',
  '_challengeToken',
  'g-recaptcha-response',
  'h-captcha-response',
  'cf-turnstile-response',
  'altcha',
]);

export const honeypotFields = ['_gotcha', '_honeypot'] as const;

export const captchaTokenFields = [
  'challenge-response',
  '_challengeToken',
  'altcha',
  'cf-turnstile-response',
  'h-captcha-response',
  'g-recaptcha-response',
] as const;
