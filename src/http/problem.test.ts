import { describe, expect, it } from 'vitest';
import { Refusal, type RefusalKind, refuse } from '../model/errors.js';
import { BlobsFull, BlobsUnavailable } from '../ports/blobs.js';
import { StoreConflict, StoreFull, StoreUnavailable } from '../ports/store.js';
import { internalProblem, problemBody, refusalOf, statusOf } from './problem.js';

describe('statusOf', () => {
  const statuses: Record<RefusalKind, number> = {
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
  it.each(Object.entries(statuses))('answers %s with %i', (kind, status) => {
    expect(statusOf(new Refusal(kind as RefusalKind, 'text'))).toBe(status);
  });
});

describe('problemBody', () => {
  it('has the text under error, first, and the further fields beside it', () => {
    const body = problemBody(refuse.ipNotRegistered('203.0.113.7'));
    expect(JSON.stringify(body)).toBe(
      '{"error":"IP not registered for sandbox mode. Register your IP in form settings.","your_ip":"203.0.113.7"}',
    );
  });
});

describe('refusalOf', () => {
  it('gives a refusal back as it is', () => {
    const refusal = refuse.formNotFound();
    expect(refusalOf(refusal)).toBe(refusal);
  });

  it.each([
    [new StoreFull('SQLITE_FULL: /data/inlet.db'), 'storage_full'],
    [new BlobsFull('ENOSPC /data/files'), 'storage_full'],
    [new StoreUnavailable('SQLITE_IOERR at /data/inlet.db'), 'unavailable'],
    [new BlobsUnavailable('ECONNREFUSED 10.0.0.7:9000'), 'unavailable'],
  ] as const)('turns %s into "later", without a word of the cause', (error, kind) => {
    const refusal = refusalOf(error);
    expect(refusal?.kind).toBe(kind);
    expect(refusal?.retryAfterSeconds).toBeGreaterThan(0);
    expect(JSON.stringify(refusal && problemBody(refusal))).not.toMatch(/\/data|SQLITE|ENOSPC/);
  });

  it.each([
    new Error('/etc/passwd'),
    new StoreConflict('unique'),
    'text',
    null,
    undefined,
    { kind: 'forbidden' },
  ])('takes %s for a surprise, about which nothing is told', (error) => {
    expect(refusalOf(error)).toBeNull();
    expect(internalProblem).toEqual({ error: 'Internal server error' });
  });
});
