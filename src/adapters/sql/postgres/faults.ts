/** Translates errors of PostgreSQL, its client and the network to those of the store's port. */
import { messageOf } from '../../../kernel/error-text.js';
import { StoreConflict, StoreFull, StoreUnavailable } from '../../../ports/store.js';
import { StoreContended } from './contention.js';

const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

const isSqlState = (code: string | null): code is string => code !== null && /^[0-9A-Z]{5}$/.test(code);

// https://www.postgresql.org/docs/current/errcodes-appendix.html; the first two characters are the class.
const contended = new Set(['40001', '40P01']);
/**
 * Connection, authorization, no such database, read-only standby, a transaction that the server ended, resources, timeouts,
 * shutdown, corruption.
 */
const unavailable = /^(08|28|3D|25006|25P0[23]|53|55P03|57|58|XX)/;
/** The server is starting, stopping, or out of connections. Wrong credentials are not temporary. */
const passingState = /^(08|53|57P)/;
/** The network, DNS, or a socket file that does not exist yet. TLS certificate errors have other codes. */
const passingSystemCode =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND|ENOENT)$/;
/** Errors of the client itself have no code. */
const passingMessage = /timeout|timed out|terminated/i;

export function translate(error: unknown): Error {
  if (error instanceof StoreUnavailable || error instanceof StoreConflict || error instanceof StoreFull)
    return error;
  const message = messageOf(error);
  const code = codeOf(error);
  // Errors of the socket and of the client itself ("Connection terminated", "timeout exceeded …") have no SQLSTATE.
  if (!isSqlState(code)) {
    const mayPass = code === null ? passingMessage.test(message) : passingSystemCode.test(code);
    return new StoreUnavailable(`PostgreSQL: ${message}`, { mayPass });
  }
  if (code === '23503') return new StoreConflict('reference');
  if (code === '23505') return new StoreConflict('unique');
  if (code === '23514') return new StoreConflict('limit');
  if (code === '53100') return new StoreFull(message);
  if (contended.has(code)) return new StoreContended(`PostgreSQL: ${message}`);
  if (code === '42501') {
    return new StoreUnavailable(
      `PostgreSQL: ${message}. The user of DATABASE_URL must own the database and its tables.`,
    );
  }
  if (unavailable.test(code)) {
    return new StoreUnavailable(`PostgreSQL: ${message} (${code})`, { mayPass: passingState.test(code) });
  }
  return new Error(`PostgreSQL: ${message} (${code})`, { cause: error });
}

/** Returns true for a lock timeout and for a deadlock. */
export function isAboutLocks(error: unknown): boolean {
  const code = codeOf(error);
  return code === '55P03' || code === '40P01';
}

/**
 * Whether the connection can no longer be used. A promoted standby or a demoted primary keeps its old connections; only a
 * new one reaches the right server.
 */
export function breaksConnection(error: unknown): boolean {
  const code = codeOf(error);
  return !isSqlState(code) || /^(08|25006|25P0[23]|26000|57P|58|XX)/.test(code);
}
