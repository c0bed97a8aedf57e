import type { OutgoingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { addCors, addPreflight } from './cors.js';

const corsFor = (readable: string | null): OutgoingHttpHeaders => {
  const headers: OutgoingHttpHeaders = {};
  addCors(headers, readable);
  return headers;
};

const preflightFor = (asked: string | undefined): OutgoingHttpHeaders => {
  const headers: OutgoingHttpHeaders = {};
  addPreflight(headers, asked, 'POST, OPTIONS');
  return headers;
};

describe('addCors', () => {
  it('lets a named origin read, and tells caches that it depends on who asks', () => {
    expect(corsFor('https://example.com')).toMatchObject({
      'access-control-allow-origin': 'https://example.com',
      vary: 'Origin',
    });
  });

  it('lets everyone read the same answer', () => {
    const headers = corsFor('*');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers.vary).toBeUndefined();
  });

  it('lets nobody else read, and tells caches that another might', () => {
    expect(corsFor(null)).toEqual({ vary: 'Origin' });
  });

  it('shows scripts the rate, when to try again and the id of the request', () => {
    const shown = String(corsFor('*')['access-control-expose-headers']).split(', ');
    expect(shown).toEqual([
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'X-Request-Id',
    ]);
  });

  it('never allows credentials', () => {
    for (const readable of ['*', 'https://example.com', null]) {
      expect(corsFor(readable)).not.toHaveProperty('access-control-allow-credentials');
    }
  });
});

describe('addPreflight', () => {
  it('allows exactly what the interface names', () => {
    expect(preflightFor(undefined)).toMatchObject({
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'Content-Type, X-Service-Key',
    });
  });

  it.each([
    ['content-type,x-service-key', ''],
    ['idempotency-key', ', idempotency-key'],
    ['cache-control, x-requested-with', ', cache-control, x-requested-with'],
    ['hx-request,HX-Target,hx-request', ', hx-request, HX-Target'],
    ['sentry-trace,baggage,content-type', ', sentry-trace, baggage'],
    ['a b, c\r\nd, ü, , "x", good', ', good'],
    ['x'.repeat(65), ''],
  ])('allows the names that are asked for, if they are names: %j', (asked, more) => {
    expect(preflightFor(asked)['access-control-allow-headers']).toBe(`Content-Type, X-Service-Key${more}`);
  });

  it('allows 32 of them at most', () => {
    const asked = Array.from({ length: 2_000 }, (_, i) => `x-${i}`).join(',');
    const allowed = String(preflightFor(asked)['access-control-allow-headers']).split(', ');
    expect(allowed).toHaveLength(2 + 32);
  });
});
