import { describe, expect, it } from 'vitest';
import { mostTelling, oneLine, type Phase, SenderClosed, SendFault, toFault } from './faults.js';

const coded = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });
const faultOf = (code: string, phase: Phase): unknown => {
  const found = toFault(coded(code), phase, 'example.com:443');
  return found instanceof SendFault ? found.fault : found;
};

describe('toFault', () => {
  it.each([
    ['ECONNREFUSED', 'connect', 'connect_refused'],
    ['EHOSTUNREACH', 'connect', 'connect_refused'],
    ['EACCES', 'connect', 'connect_refused'],
    ['ETIMEDOUT', 'connect', 'connect_timeout'],
    ['ECONNRESET', 'connect', 'reset'],
    ['ETIMEDOUT', 'exchange', 'timeout'],
    ['ECONNRESET', 'tls', 'reset'],
    ['CERT_HAS_EXPIRED', 'tls', 'tls_error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'tls_error'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'exchange', 'tls_error'],
    ['EPIPE', 'exchange', 'reset'],
    ['UND_ERR_SOCKET', 'exchange', 'reset'],
    ['UND_ERR_HEADERS_OVERFLOW', 'exchange', 'response_headers_too_large'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'exchange', 'invalid_response'],
  ] as const)('%s while in %s is %s', (code, phase, fault) => {
    expect(faultOf(code, phase)).toBe(fault);
  });

  it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'UND_ERR_INVALID_ARG'])(
    '%s is our own and stays an error',
    (code) => {
      expect(faultOf(code, 'connect')).toMatchObject({ code });
      expect(faultOf(code, 'exchange')).toMatchObject({ code });
    },
  );

  it('leaves a bug, a translated fault and the end of the sender as they are', () => {
    for (const error of [new TypeError('bug'), new SendFault('timeout', 'late'), new SenderClosed()]) {
      expect(toFault(error, 'exchange', 'example.com')).toBe(error);
    }
  });

  it('names the receiver and the code, and shows nothing of what a certificate smuggles in', () => {
    const error = coded('ERR_TLS_CERT_ALTNAME_INVALID', `Altnames:\r\n\u001b[31m${'DNS:x, '.repeat(1_000)}`);
    const found = toFault(error, 'tls', 'example.com:443');
    expect(found).toMatchObject({ detail: expect.stringContaining('example.com:443') });
    expect(found).toMatchObject({ detail: expect.stringMatching(/^[^\p{Cc}]{1,300}$/u) });
  });
});

describe('mostTelling', () => {
  it('prefers a refusal, then anything that is not a missing route', () => {
    const [route, reset, refused] = ['ENETUNREACH', 'ECONNRESET', 'ECONNREFUSED'].map((code) => coded(code));
    expect(mostTelling(new AggregateError([route, reset, refused]))).toBe(refused);
    expect(mostTelling(new AggregateError([route, reset]))).toBe(reset);
    expect(mostTelling(new AggregateError([route]))).toBe(route);
    expect(mostTelling(reset)).toBe(reset);
  });
});

describe('oneLine', () => {
  it('keeps one short line of visible characters', () => {
    expect(oneLine(' a\r\nb\u2028c\u0000d\u202ee ')).toBe('a b c d e');
    expect(oneLine('x'.repeat(100_000))).toHaveLength(300);
    expect(oneLine('Zürich ✓')).toBe('Zürich ✓');
  });
});
