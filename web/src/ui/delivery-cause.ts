/** The result of a delivery attempt in words. Error classes are the sender's; an unknown one shows its own text. */
import * as words from '../words/delivery-cause.js';
import * as states from '../words/states.js';

export interface AttemptOutcome {
  readonly status: number | null;
  /** `class` or `class: details`; null for a success. */
  readonly error: string | null;
  /** Not available in lists. */
  readonly duration_ms?: number | undefined;
}

const reasons: Readonly<Record<string, (detail: string, seconds: string | null) => string>> = {
  blocked_address: () => words.addressNotAllowed,
  dns_error: (detail) => (/no address/i.test(detail) ? words.nameHasNoAddress : words.nameNotFound),
  connect_refused: (detail) =>
    detail.startsWith('There is no way to') ? words.noRoute : words.connectionRefused,
  connect_timeout: (_, seconds) =>
    seconds === null ? words.connectionNotInTime : words.connectionNotWithin(seconds),
  tls_error: () => words.tlsFailed,
  reset: () => words.connectionClosed,
  timeout: (_, seconds) => (seconds === null ? words.noResponseInTime : words.noResponseWithin(seconds)),
  response_headers_too_large: () => words.headersTooLarge,
  invalid_response: () => words.notHttp,
  redirect: () => words.redirects,
  http_4xx: (detail) => detail || words.returnedClientError,
  http_5xx: (detail) => detail || words.returnedServerError,
  cancelled: (detail) => words.stopped(detail || words.noDestination),
};

const parted = (error: string): readonly [kind: string, detail: string] => {
  const at = error.indexOf(':');
  return at < 0 ? [error, ''] : [error.slice(0, at), error.slice(at + 1).trim()];
};

export function causeOf({ status, error, duration_ms }: AttemptOutcome): string {
  if (error === null) return status === null ? states.delivered : words.returned(status);
  const [kind, detail] = parted(error);
  if (kind === 'redirect' && status !== null) return words.redirectsWith(status);
  if (kind === 'gone') return detail || words.endpointGone;
  if (status !== null) return words.returned(status);
  return reasons[kind]?.(detail, duration_ms === undefined ? null : words.limit(duration_ms)) ?? error;
}

/** The sender's details besides the class. Returns null when the text from `causeOf` says it all. */
export function detailOf({ status, error }: AttemptOutcome): string | null {
  if (error === null || status !== null) return null;
  const [kind, detail] = parted(error);
  return kind === 'cancelled' || detail === '' || reasons[kind] === undefined ? null : detail;
}
