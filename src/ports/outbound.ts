/**
 * One HTTP request to an address that an owner chose.
 *
 * The contract, which `test/contracts/outbound.ts` runs against every adapter:
 * - `send` resolves for everything that a receiver can do, at the deadline at the latest; it rejects only for our own
 *   faults. One deadline covers DNS, connecting, sending, the answer's head and its body.
 * - Nothing is written to an address that the guard refuses: the literal in the URL, every DNS answer and the address of
 *   the connected socket are judged.
 * - No redirect is followed, nothing is decompressed, at most 64 KiB of the response are read, unless more is asked for.
 * - The status line decides: an answer whose body stalls or breaks keeps its status.
 */
export type OutboundFault =
  | 'blocked_address'
  | 'dns_error'
  | 'connect_refused'
  | 'connect_timeout'
  | 'tls_error'
  | 'reset'
  | 'timeout'
  | 'response_headers_too_large'
  | 'invalid_response';

export interface OutboundRequest {
  /** POST by default. */
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** How much of the response is read and kept: for who has to understand it. By default 4 KiB are kept. */
  readonly maxResponseBytes?: number;
  /**
   * What it does must not be done twice: it is not sent again by itself when a kept connection ends before the response.
   * By default it is, because most such connections had been closed before.
   */
  readonly isSentOnce?: boolean;
}

/** How long each phase took; null when it was not reached, or not needed on a connection that was open already. */
export interface OutboundTimings {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
}

export interface OutboundResult {
  /** Of the final answer; null when there was none. */
  readonly status: number | null;
  /** Null when there was an answer. */
  readonly fault: OutboundFault | null;
  /** What to tell the owner about the fault: one line without control characters, never a stack. */
  readonly detail: string | null;
  /** The header as it came; null without one. */
  readonly retryAfter: string | null;
  /** Those of its headers that fit into 2 KiB, names in lower case and repeated ones joined; null without a response. */
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  /** The beginning of the response as text, bytes that are no UTF-8 replaced; null without a response. */
  readonly response: string | null;
  readonly remoteAddress: string | null;
  readonly timings: OutboundTimings;
}

export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundResult>;
  /** Ends open connections. Sends in flight are cut. */
  close(): Promise<void>;
}
