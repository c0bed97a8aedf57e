import { describe, expect, it } from 'vitest';
import { Refusal, refuse } from '../model/errors.js';
import { BlobsFull, BlobsUnavailable } from '../ports/blobs.js';
import { StoreConflict, StoreFull, StoreUnavailable } from '../ports/store.js';
import { problemBody, refusalOf, statusOf } from './problem.js';

describe('statusOf', () => {
  it.each([
    ['invalid_body', 400],
    ['invalid_api_key', 401],
    ['file_uploads_not_in_plan', 402],
    ['origin_not_allowed', 403],
    ['form_not_found', 404],
    ['method_not_allowed', 405],
    ['body_too_slow', 408],
    ['idempotency_key_reused', 409],
    ['file_deleted', 410],
    ['precondition_failed', 412],
    ['file_too_large', 413],
    ['range_not_satisfiable', 416],
    ['unknown_expectation', 417],
    ['image_broken', 422],
    ['rate_limited', 429],
    ['headers_too_large', 431],
    ['internal_error', 500],
    ['service_busy', 503],
    ['storage_full', 507],
  ] as const)('answers %s with %i', (code, status) => {
    expect(statusOf(new Refusal(code))).toBe(status);
  });
});

describe('problemBody', () => {
  it('has the text first, then the code, then the further fields', () => {
    const body = problemBody(refuse.ipNotRegistered('203.0.113.7'));
    expect(JSON.stringify(body)).toBe(
      '{"error":"IP not registered for sandbox mode. Register your IP in form settings.","code":"ip_not_registered","your_ip":"203.0.113.7"}',
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
  ])('takes %s for an internal error, about which nothing is shown', (error) => {
    expect(refusalOf(error)).toBeNull();
    expect(problemBody(refuse.internal())).toEqual({
      error: 'Internal server error',
      code: 'internal_error',
    });
  });
});
