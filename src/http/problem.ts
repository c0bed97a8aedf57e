/** The one place that turns an error into a status and a body. Callers never see a cause, a path or SQL. */
import type { FastifyError, FastifyReply } from 'fastify';
import type { RefusalKind } from '../model/error-entry.js';
import { Refusal, refuse } from '../model/errors.js';
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
  internal: 500,
  unavailable: 503,
  storage_full: 507,
};

export const statusOfKind = (kind: RefusalKind): number => statuses[kind];

export const statusOf = (refusal: Refusal): number => statuses[refusal.kind];

export const problemBody = (refusal: Refusal): Record<string, unknown> => ({
  error: refusal.message,
  code: refusal.code,
  ...refusal.extra,
});

export function sendProblem(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds);
  return reply.status(statusOf(refusal)).send(problemBody(refusal));
}

/** Returns the refusal behind an error that a caller may see, or null for an internal error. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof StoreFull || error instanceof BlobsFull) return refuse.storageFull();
  if (error instanceof StoreUnavailable || error instanceof BlobsUnavailable) return refuse.busy();
  return null;
}

export const isClientFault = ({ statusCode }: FastifyError): boolean =>
  statusCode !== undefined && statusCode >= 400 && statusCode < 500;

/** Errors that the framework finds before our code runs. */
export function frameworkRefusal(error: FastifyError): Refusal | null {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return refuse.badRequest('Content-Type must be application/json');
  return isClientFault(error) ? refuse.badRequest('The body is not valid JSON') : null;
}
