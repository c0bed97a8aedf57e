/**
 * One HTTP POST to an address that a stranger chose.
 *
 * The contract, which `test/contracts/outbound.ts` runs against every adapter:
 * - `send` resolves for everything that a receiver can do, at the deadline at the latest; it rejects only for our own
 *   faults. One deadline covers DNS, connecting, sending, the answer's head and its body.
 * - Nothing is written to an address that the guard refuses: the literal in the URL, every DNS answer and the address of
 *   the connected socket are judged.
 * - No redirect is followed, nothing is decompressed, at most `maxReadBytes` of the answer are read.
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
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
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
  /** The first 4 KiB of the answer as text, bytes that are no UTF-8 replaced; null without an answer. */
  readonly response: string | null;
  readonly remoteAddress: string | null;
  readonly timings: OutboundTimings;
}

export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundResult>;
  /** Ends open connections. Sends in flight are cut. */
  close(): Promise<void>;
}
