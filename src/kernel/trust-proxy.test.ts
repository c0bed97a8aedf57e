import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalIp } from './addresses.js';
import { clientAddress, parseTrustProxy, type TrustedProxies } from './trust-proxy.js';

function trust(text: string): TrustedProxies {
  const result = parseTrustProxy(text);
  if (!result.ok) throw new Error(result.message);
  return result.trusted;
}

describe('parseTrustProxy', () => {
  it.each([
    ['loopback', '127.0.0.1', true],
    ['loopback', '127.9.9.9', true],
    ['loopback', '::1', true],
    ['loopback', '10.0.0.1', false],
    ['private', '10.0.0.1', true],
    ['private', '172.20.0.1', true],
    ['private', '192.168.0.1', true],
    ['private', 'fd00::1', true],
    ['private', '127.0.0.1', false],
    ['private', '169.254.1.1', false],
    ['private', '100.64.0.1', false],
    ['private', '8.8.8.8', false],
    [' LOOPBACK , 1.2.3.0/24,2001:db8::/32, ', '1.2.3.200', true],
    [' LOOPBACK , 1.2.3.0/24,2001:db8::/32, ', '2001:db8::5', true],
    [' LOOPBACK , 1.2.3.0/24,2001:db8::/32, ', '127.0.0.1', true],
    [' LOOPBACK , 1.2.3.0/24,2001:db8::/32, ', '1.2.4.1', false],
    ['::ffff:1.2.3.4', '1.2.3.4', true],
    ['', '127.0.0.1', false],
  ])('%j, asked for %s: %s', (text, address, expected) => {
    expect(trust(text).networks.has(address)).toBe(expected);
  });

  it.each(['true', '*', '1', 'uniquelocal', '10.0.0.0/33', '10.0.0', 'proxy.example.com', '1.2.3.4;5.6.7.8'])(
    '%j is refused by name',
    (entry) => {
      const result = parseTrustProxy(`loopback, ${entry}`);
      expect(result.ok).toBe(false);
      expect(result.ok ? '' : result.message).toContain(`"${entry}"`);
    },
  );
});

describe('clientAddress', () => {
  const trusted = trust('loopback, 10.0.0.0/8');

  it.each([
    ['no socket address', null, undefined, '1.2.3.4', ''],
    ['no socket address, though trust is set', trusted, undefined, '1.2.3.4', ''],
    ['a socket address that is none', null, 'pipe', undefined, ''],
    ['no trust', null, '9.9.9.9', '1.2.3.4', '9.9.9.9'],
    ['no trust, mapped socket', null, '::ffff:9.9.9.9', undefined, '9.9.9.9'],
    ['no trust, IPv6 socket', null, '2001:DB8:0::1', undefined, '2001:db8::1'],
    ['no trust, zone', null, 'fe80::1%eth0', undefined, 'fe80::1'],
    ['untrusted socket', trusted, '9.9.9.9', '1.2.3.4', '9.9.9.9'],
    ['trusted socket, no header', trusted, '127.0.0.1', undefined, '127.0.0.1'],
    ['trusted socket, empty header', trusted, '127.0.0.1', '', '127.0.0.1'],
    ['trusted socket, blank header', trusted, '127.0.0.1', '  ', '127.0.0.1'],
    ['one hop', trusted, '127.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['trusted socket in mapped form', trusted, '::ffff:10.1.1.1', '1.2.3.4', '1.2.3.4'],
    ['IPv6 hop', trusted, '::1', '2001:DB8::0:1', '2001:db8::1'],
    ['mapped hop', trusted, '127.0.0.1', '::ffff:102:304', '1.2.3.4'],
    ['right-most untrusted hop', trusted, '127.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    ['trusted hops are passed', trusted, '127.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.5 ,10.0.0.6', '1.2.3.4'],
    ['all hops trusted: the left-most', trusted, '127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['malformed hop at once', trusted, '127.0.0.1', '1.2.3.4, unknown', '127.0.0.1'],
    ['malformed hop behind a trusted one', trusted, '127.0.0.1', '1.2.3.4, unknown, 10.0.0.2', '10.0.0.2'],
    ['empty hop', trusted, '127.0.0.1', '1.2.3.4,, 10.0.0.2', '10.0.0.2'],
    ['trailing comma', trusted, '127.0.0.1', '1.2.3.4,', '127.0.0.1'],
    ['leading comma', trusted, '127.0.0.1', ',10.0.0.3', '10.0.0.3'],
    ['only a comma', trusted, '127.0.0.1', ',', '127.0.0.1'],
    ['odd spelling is malformed', trusted, '127.0.0.1', '0x01020304', '127.0.0.1'],
    ['an oversized hop is malformed', trusted, '127.0.0.1', `1.2.3.4${' '.repeat(5_000)}`, '127.0.0.1'],
    ['IPv4 with port', trusted, '127.0.0.1', '1.2.3.4:567', '1.2.3.4'],
    ['IPv6 with port', trusted, '127.0.0.1', '[2001:db8::1]:567', '2001:db8::1'],
    ['bracketed IPv6', trusted, '127.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['trusted hop with port', trusted, '127.0.0.1', '1.2.3.4:1, 10.0.0.2:443', '1.2.3.4'],
    ['bracketed loopback with port', trusted, '127.0.0.1', '1.2.3.4, [::1]:567', '1.2.3.4'],
    ['bracketed IPv4', trusted, '127.0.0.1', '[1.2.3.4]:567', '127.0.0.1'],
    ['port that is none', trusted, '127.0.0.1', '1.2.3.4:http', '127.0.0.1'],
    ['name instead of an address', trusted, '127.0.0.1', 'example.com:80', '127.0.0.1'],
  ])('%s', (_name, proxies, remoteAddress, forwardedFor, expected) => {
    expect(clientAddress(proxies, remoteAddress, forwardedFor)).toBe(expected);
    expect(clientAddress(proxies, remoteAddress, forwardedFor)).toBe(expected);
  });

  it('looks at no more than the last 32 hops', () => {
    const hops = (count: number) =>
      Array.from({ length: count }, (_, index) => `10.0.0.${count - index}`).join(', ');
    expect(clientAddress(trusted, '127.0.0.1', `1.2.3.4, ${hops(31)}`)).toBe('1.2.3.4');
    expect(clientAddress(trusted, '127.0.0.1', `1.2.3.4, ${hops(32)}`)).toBe('10.0.0.32');
    expect(clientAddress(trusted, '127.0.0.1', hops(200))).toBe('10.0.0.32');
  });

  const untrustedAddress = fc.oneof(
    fc.ipV4().filter((text) => !/^(10|127)\./.test(text)),
    fc.ipV6().filter((text) => !trusted.networks.has(canonicalIp(text) ?? '')),
  );
  const anyHeader = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { maxLength: 40 }).map((hops) => hops.join(',')),
  );

  it('gives a header from an untrusted socket no weight', () => {
    fc.assert(
      fc.property(untrustedAddress, anyHeader, (socket, header) => {
        expect(clientAddress(trusted, socket, header)).toBe(canonicalIp(socket));
        expect(clientAddress(null, socket, header)).toBe(canonicalIp(socket));
      }),
    );
  });

  it('returns what the trusted proxy saw, whatever the client wrote before it', () => {
    const proxies = fc.array(fc.constantFrom('10.0.0.1', '127.0.0.1:80', '[::1]:9'), { maxLength: 10 });
    fc.assert(
      fc.property(anyHeader, untrustedAddress, proxies, (forged, client, hops) => {
        const header = [forged, client, ...hops].join(', ');
        expect(clientAddress(trusted, '10.9.9.9', header)).toBe(canonicalIp(client));
      }),
    );
  });
});
