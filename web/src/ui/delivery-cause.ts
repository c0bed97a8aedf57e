/** How an attempt to deliver ended, in words. The classes are those of the sender; an unknown one shows its own text. */

export interface AttemptOutcome {
  readonly status: number | null;
  /** `class` or `class: what happened`; null for a success. */
  readonly error: string | null;
  /** Not known in lists. */
  readonly duration_ms?: number | undefined;
}

const reasons: Readonly<Record<string, (detail: string, seconds: string | null) => string>> = {
  blocked_address: () => 'Not sent: the address is not allowed',
  dns_error: (detail) =>
    /no address/i.test(detail)
      ? 'Could not connect: the name has no address'
      : 'Could not connect: the name could not be looked up',
  connect_refused: (detail) =>
    detail.startsWith('There is no way to')
      ? 'Could not connect: no route to the endpoint'
      : 'Could not connect: refused',
  connect_timeout: (_, seconds) =>
    seconds === null ? 'Could not connect in time' : `Could not connect within ${seconds}`,
  tls_error: () => 'Could not connect securely: TLS failed',
  reset: () => 'The endpoint closed the connection',
  timeout: (_, seconds) => (seconds === null ? 'No response in time' : `No response within ${seconds}`),
  response_headers_too_large: () => 'The response headers were too large',
  invalid_response: () => 'The response was not valid HTTP',
  redirect: () => 'The endpoint redirects, and redirects are not followed',
  http_4xx: (detail) => detail || 'The endpoint returned an error (4xx)',
  http_5xx: (detail) => detail || 'The endpoint returned an error (5xx)',
  cancelled: (detail) => `Stopped: ${detail || 'there is no destination'}`,
};

/** Whole seconds: a limit of 15 s ends after 15 004 ms. */
const limitWords = (ms: number | undefined): string | null =>
  ms === undefined ? null : ms < 950 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;

const parted = (error: string): readonly [kind: string, detail: string] => {
  const at = error.indexOf(':');
  return at < 0 ? [error, ''] : [error.slice(0, at), error.slice(at + 1).trim()];
};

export function causeOf({ status, error, duration_ms }: AttemptOutcome): string {
  if (error === null) return status === null ? 'Delivered' : `The endpoint returned ${status}`;
  const [kind, detail] = parted(error);
  if (kind === 'redirect' && status !== null)
    return `The endpoint returned ${status}: redirects are not followed`;
  if (kind === 'gone') return detail || 'The endpoint is gone; no more attempts are made';
  if (status !== null) return `The endpoint returned ${status}`;
  return reasons[kind]?.(detail, limitWords(duration_ms)) ?? error;
}

/** What the sender had to say beside the class; null when the words above say it all. */
export function detailOf({ status, error }: AttemptOutcome): string | null {
  if (error === null || status !== null) return null;
  const [kind, detail] = parted(error);
  return kind === 'cancelled' || detail === '' || reasons[kind] === undefined ? null : detail;
}
