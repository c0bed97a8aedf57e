/** The one place that turns an error into a status and a body. A stranger never sees a cause, a path or SQL. */
import { Refusal, type RefusalKind, refuse } from '../model/errors.js';
import { BlobsFull, BlobsUnavailable } from '../ports/blobs.js';
import { StoreFull, StoreUnavailable } from '../ports/store.js';

const statuses: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  range_not_satisfiable: 416,
  expectation_failed: 417,
  unprocessable: 422,
  rate_limited: 429,
  headers_too_large: 431,
  unavailable: 503,
  storage_full: 507,
};

export const statusOfKind = (kind: RefusalKind): number => statuses[kind];

export const statusOf = (refusal: Refusal): number => statuses[refusal.kind];

export const problemBody = (refusal: Refusal): Record<string, unknown> => ({
  error: refusal.message,
  ...refusal.extra,
});

export const internalProblem = { error: 'Internal server error' } as const;

/** The refusal behind an error, if it is one that a caller may be told about; null: it is a surprise. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreFull || error instanceof BlobsFull) return refuse.storageFull();
  if (error instanceof StoreUnavailable || error instanceof BlobsUnavailable) return refuse.busy();
  return null;
}
