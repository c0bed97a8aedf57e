import { describe, expect, it } from 'vitest';
import type { OutboundFault } from '../../../src/ports/outbound.js';
import { causeOf, detailOf } from './delivery-cause.js';

const failed = (error: string, duration_ms?: number) => ({ status: null, error, duration_ms });

describe('the cause of a failed attempt', () => {
  // When the sender gets a new error class, the compiler reports it missing here.
  const everyFault: Readonly<Record<OutboundFault, readonly [detail: string, words: string]>> = {
    blocked_address: ['10.0.0.1 is private', 'Not sent: the address is not allowed'],
    dns_error: [
      'There is no address for the name nowhere.example (ENOTFOUND)',
      'Could not connect: the name has no address',
    ],
    connect_refused: ['127.0.0.1:9 refused the connection (ECONNREFUSED)', 'Could not connect: refused'],
    connect_timeout: ['example.com did not take the connection in time', 'Could not connect within 15 s'],
    tls_error: [
      'TLS with example.com failed: certificate has expired (CERT_HAS_EXPIRED)',
      'Could not connect securely: TLS failed',
    ],
    reset: ['example.com broke the connection (ECONNRESET)', 'The endpoint closed the connection'],
    timeout: ['example.com did not answer before the time was up', 'No response within 15 s'],
    response_headers_too_large: [
      'example.com answered with more headers than are read',
      'The response headers were too large',
    ],
    invalid_response: [
      'example.com did not answer in HTTP/1.1 (HPE_INVALID)',
      'The response was not valid HTTP',
    ],
  };

  it.each(Object.entries(everyFault))('%s', (fault, [detail, words]) => {
    const attempt = failed(`${fault}: ${detail}`, 15_004);
    expect(causeOf(attempt)).toBe(words);
    expect(detailOf(attempt)).toBe(detail);
    // The class alone also has a text.
    expect(causeOf(failed(fault))).not.toBe(fault);
    expect(detailOf(failed(fault))).toBeNull();
  });

  it('tells other ways of the same classes apart', () => {
    expect(causeOf(failed('connect_refused: There is no way to 10.1.1.1:80 (EHOSTUNREACH)'))).toBe(
      'Could not connect: no route to the endpoint',
    );
    expect(causeOf(failed('dns_error: No name server gave the addresses of x.example in time'))).toBe(
      'Could not connect: the name could not be looked up',
    );
    expect(causeOf(failed('timeout'))).toBe('No response in time');
    expect(causeOf(failed('timeout: x', 400))).toBe('No response within 400 ms');
  });

  it('names the status where there was a response', () => {
    expect(causeOf({ status: 503, error: 'http_5xx' })).toBe('The endpoint returned 503');
    expect(causeOf({ status: 404, error: 'http_4xx' })).toBe('The endpoint returned 404');
    expect(causeOf({ status: 204, error: null })).toBe('The endpoint returned 204');
    expect(causeOf({ status: 301, error: 'redirect: redirects are not followed' })).toBe(
      'The endpoint returned 301: redirects are not followed',
    );
    expect(detailOf({ status: 503, error: 'http_5xx' })).toBeNull();
  });

  it('says why an endpoint that is gone is not tried again', () => {
    const words = 'The endpoint responded 410 Gone; no more attempts are made';
    expect(causeOf({ status: 410, error: `gone: ${words}` })).toBe(words);
    expect(detailOf({ status: 410, error: `gone: ${words}` })).toBeNull();
  });

  it('says why nobody was left to send it to', () => {
    expect(causeOf(failed('cancelled: the webhook URL was removed'))).toBe(
      'Stopped: the webhook URL was removed',
    );
    expect(causeOf(failed('cancelled: the form was deleted'))).toBe('Stopped: the form was deleted');
  });

  it('shows a class that it does not know as it came', () => {
    expect(causeOf(failed('new_fault: something else'))).toBe('new_fault: something else');
    expect(detailOf(failed('new_fault: something else'))).toBeNull();
  });
});
