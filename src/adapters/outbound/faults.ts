/**
 * Maps error codes to the faults that an owner sees. Invariants: a fault is shown by code and phase. Only TLS errors add
 * their text. What is our own doing (no file descriptors, a bad header, a bug) is never reported as the endpoint's fault.
 */
import type { OutboundFault } from '../../ports/outbound.js';

export type Phase = 'connect' | 'tls' | 'exchange';

/** A fault of the endpoint, or of the network on the way to it. `detail` can be shown to the owner of the URL. */
export class SendFault extends Error {
  readonly detail: string;
  /** For the log only: it may name internal addresses, which the owner of a URL must not learn from us. */
  readonly operatorDetail: string;

  constructor(
    readonly fault: OutboundFault,
    detail: string,
    operatorDetail = detail,
  ) {
    super(fault);
    this.detail = oneLine(detail);
    this.operatorDetail = oneLine(operatorDetail);
  }
}

/** The send was aborted because the sender is closed. It does not count as a failed attempt. */
export class SenderClosed extends Error {
  readonly code = 'OUTBOUND_CLOSED';

  constructor() {
    super('The sender was closed');
  }
}

const maxDetailLength = 300;

/** Removes control, format and line separator characters: certificates, DNS responses and URLs bring in foreign text. */
export function oneLine(text: string): string {
  const clean = text
    .slice(0, 4 * maxDetailLength)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .trim();
  return clean.length <= maxDetailLength ? clean : `${clean.slice(0, maxDetailLength - 1).trimEnd()}…`;
}

export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

const ours = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOBUFS',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
]);
const broken = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ENOTCONN', 'UND_ERR_SOCKET']);
const unreachable = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'ENETDOWN', 'EHOSTDOWN']);

/** Picks the most useful error of several failed addresses: a refused connection says more than a missing route. */
export function mostTelling(error: unknown): unknown {
  if (!(error instanceof AggregateError)) return error;
  return (
    error.errors.find((one) => codeOf(one) === 'ECONNREFUSED') ??
    error.errors.find((one) => !unreachable.has(codeOf(one) ?? '')) ??
    error.errors[0]
  );
}

/** Returns the fault behind an error, or the error itself if it is internal. `where` names the endpoint. */
export function toFault(error: unknown, phase: Phase, where: string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof SendFault || error instanceof SenderClosed) return error;
  const code = codeOf(error);
  // The parser's errors have no code.
  if (error.name === 'HTTPParserError') return invalidResponse(where, code ?? error.name);
  if (code === null || ours.has(code)) return error;
  if (code === 'ETIMEDOUT') {
    const fault = phase === 'exchange' ? 'timeout' : 'connect_timeout';
    return new SendFault(fault, `${where} did not answer in time (${code})`);
  }
  if (broken.has(code)) return new SendFault('reset', `${where} broke the connection (${code})`);
  if (unreachable.has(code)) return new SendFault('connect_refused', `There is no way to ${where} (${code})`);
  if (phase === 'connect')
    return new SendFault('connect_refused', `${where} refused the connection (${code})`);
  if (phase === 'tls' || /^ERR_(SSL|TLS)_/.test(code) || code === 'EPROTO') {
    return new SendFault('tls_error', `TLS with ${where} failed: ${reasonOf(error)} (${code})`);
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return headTooLarge(where);
  if (code.startsWith('UND_ERR_RES')) return invalidResponse(where, code);
  return new SendFault('reset', `The connection to ${where} broke (${code})`);
}

export const headTooLarge = (where: string): SendFault =>
  new SendFault('response_headers_too_large', `${where} answered with more headers than are read`);

export const invalidResponse = (where: string, code: string): SendFault =>
  new SendFault('invalid_response', `${where} did not answer in HTTP/1.1 (${code})`);

/** OpenSSL's messages begin with numbers and names of its own files. The reason is a separate property. */
function reasonOf(error: Error): string {
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
}
