/**
 * One HTTP request to an address that an owner chose.
 *
 * The contract, which `test/contracts/outbound.ts` runs against every adapter:
 * - `send` resolves whatever the other side does, by the deadline at the latest; it rejects only for internal errors. One
 *   deadline covers DNS, connecting, sending, and the response's headers and body.
 * - Nothing is sent to an address that the guard rejects: it checks the literal in the URL, every DNS result and the
 *   address of the connected socket.
 * - No redirect is followed, nothing is decompressed, and at most 64 KiB of the response are read unless the request allows more.
 * - The status line decides: a response whose body stalls or breaks off keeps its status.
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
  /** How much of the response is read and returned, for callers that have to parse it. By default 4 KiB are returned. */
  readonly maxResponseBytes?: number;
  /**
   * Must not take effect twice: it is not retried automatically when a reused connection closes before the response. By
   * default it is, because most such connections had been closed before.
   */
  readonly isSentOnce?: boolean;
}

/** How long each phase took; null when it was not reached, or not needed on a connection that was already open. */
export interface OutboundTimings {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
}

export interface OutboundResult {
  /** Of the final response; null when there was none. */
  readonly status: number | null;
  /** Null when there was a response. */
  readonly fault: OutboundFault | null;
  /** The fault described for the owner: one line without control characters, never a stack trace. */
  readonly detail: string | null;
  /** The header as received; null without one. */
  readonly retryAfter: string | null;
  /** The headers that fit into 2 KiB, names in lower case and repeated ones joined; null without a response. */
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  /** The beginning of the response as text, with invalid UTF-8 replaced; null without a response. */
  readonly response: string | null;
  readonly remoteAddress: string | null;
  readonly timings: OutboundTimings;
}

export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundResult>;
  /** Closes open connections. Requests in flight are cut off. */
  close(): Promise<void>;
}
