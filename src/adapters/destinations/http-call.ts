/** Sends one request of a destination kind through the guarded client, and derives the result of the attempt. */
import type { Clock } from '../../kernel/clock.js';
import { fittingHeaders } from '../../kernel/fitting-headers.js';
import { instanceHeader } from '../../kernel/instance-mark.js';
import type { SendResult } from '../../ports/destination-kind.js';
import type { Outbound, OutboundRequest, OutboundResult } from '../../ports/outbound.js';

export interface HttpCall extends Required<Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>> {
  /** Masked in everything that is shown. */
  readonly secrets: readonly string[];
}

export type Judged = Pick<SendResult, 'end' | 'error' | 'retryAfterMs'>;

/** Interprets a response. Returns null to go by its status. Not called for a fault without a response. */
export type Judge = (result: OutboundResult) => Judged | null;

export interface HttpCalls {
  send(call: HttpCall, judge?: Judge): Promise<SendResult>;
}

const longestRetryAfterMs = 24 * 60 * 60_000;

/** Reads Retry-After, in seconds or as a date, up to a day. Returns null when it is absent, invalid or not in the future. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return ms > 0 ? Math.min(ms, longestRetryAfterMs) : null;
}

/** Success is a 2xx status line. Redirects are never followed, so they count as failures. */
function judgeStatus(status: number): Pick<Judged, 'end' | 'error'> {
  if (status >= 200 && status < 300) return { end: 'succeeded', error: null };
  if (status === 410)
    return { end: 'gone', error: 'gone: The endpoint responded 410 Gone; no more attempts are made' };
  if (status >= 300 && status < 400) return { end: 'failed', error: 'redirect: redirects are not followed' };
  return { end: 'failed', error: `http_${Math.floor(status / 100)}xx` };
}

/** Databases reject NUL in text, and an attempt that cannot be recorded would be retried forever. Others act on a terminal. */
const shownText = (text: string): string => text.replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd');

const mask = '•••';

/** Also masks secrets inside longer text: endpoints echo what they were sent. */
export const masked = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, mask)), text);

/** The result of a request: its fault, else the kind's interpretation of the response, else its status. */
export function judgeResult(result: OutboundResult, judge: Judge, now: number): Judged {
  const { status, fault, detail } = result;
  if (status === null)
    return { end: 'failed', error: detail === null ? fault : `${fault}: ${detail}`, retryAfterMs: null };
  return judge(result) ?? { ...judgeStatus(status), retryAfterMs: retryAfterMs(result.retryAfter, now) };
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

export function createHttpCalls(deps: {
  outbound: Outbound;
  clock: Clock;
  timeoutMs: number;
  instanceMark: string;
  userAgent: string;
}): HttpCalls {
  const { outbound, clock, timeoutMs, instanceMark, userAgent } = deps;

  return {
    async send({ method, url, headers: given, body, secrets }, judge = () => null) {
      // For every kind: the URL of a chat webhook can lead back to a form of this instance, too.
      const headers = { 'user-agent': userAgent, ...given, [instanceHeader]: instanceMark };
      const result = await outbound.send({ method, url, headers, body, timeoutMs });
      const judged = judgeResult(result, judge, clock.now());
      return sendResultOf({ method, url, headers, body, secrets }, result, judged);
    },
  };
}

/** The attempt as it is recorded and shown. */
export function sendResultOf(
  { secrets, ...request }: HttpCall,
  result: OutboundResult,
  { end, error, retryAfterMs: waitMs }: Judged,
): SendResult {
  const shown = (text: string): string => masked(shownText(text), secrets);
  const head = () => ({
    method: request.method,
    url: masked(request.url, secrets),
    headers: maskedHeaders(request.headers, secrets),
  });
  return {
    end,
    error: error === null ? null : shown(error),
    retryAfterMs: waitMs,
    status: result.status,
    durationMs: Math.round(result.timings.totalMs),
    response: result.response === null ? null : shown(result.response),
    remoteAddress: result.remoteAddress,
    isUnresponsive: result.status === null && result.fault !== 'blocked_address',
    dnsMs: rounded(result.timings.dnsMs),
    connectMs: rounded(result.timings.connectMs),
    firstByteMs: rounded(result.timings.firstByteMs),
    responseHeaders: result.responseHeaders && maskedHeaders(result.responseHeaders, secrets),
    request: () => ({ ...head(), body: shown(request.body) }),
    recorded(stored) {
      const { method, url, headers } = head();
      const kept = { method, url, headers: fittingHeaders(headers, maxHeaderChars) };
      // Most kinds send the stored body as it is: it is neither masked nor stored again.
      if (request.body === stored) return { ...kept, body: null, isBodyCut: false };
      const body = shown(request.body.slice(0, maxBodyChars));
      return { ...kept, body, isBodyCut: request.body.length > maxBodyChars };
    },
  };
}

/** Limits of the request that is recorded with each attempt. */
const maxHeaderChars = 8_192;
const maxBodyChars = 16_384;

/** Masking is enough: headers and URLs have no control characters that a terminal would act on. */
const maskedHeaders = (
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
): Readonly<Record<string, string>> =>
  secrets.length === 0
    ? headers
    : Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, masked(value, secrets)]));
