import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileOriginPatterns,
  hostOfUrl,
  isLocalhost,
  isLoopbackUrl,
  normaliseOriginPattern,
  originMatches,
} from './hosts.js';

describe('hostOfUrl', () => {
  it.each([
    ['https://example.com', 'example.com'],
    ['https://Example.COM', 'example.com'],
    ['HTTP://example.com:8080', 'example.com'],
    ['https://example.com./contact?x=1#y', 'example.com'],
    ['https://www.example.com/a/b', 'www.example.com'],
    ['https://user:pass@example.com/', 'example.com'],
    ['https://example.com@other.net/', 'other.net'],
    ['http://localhost:5173', 'localhost'],
    ['http://127.0.0.1:3000/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://[::1]:3000', '::1'],
    ['http://[2001:DB8::0:1]/', '2001:db8::1'],
    ['http://[::ffff:127.0.0.1]/', '127.0.0.1'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
    ['https://my_site.example', 'my_site.example'],
    [`https://example.com/${'a'.repeat(5_000)}`, 'example.com'],
  ])('%s comes from %s', (text, host) => {
    expect(hostOfUrl(text)).toBe(host);
    expect(hostOfUrl(text)).toBe(host);
  });

  it.each([
    undefined,
    '',
    'null',
    'example.com',
    '//example.com',
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'https://\\example.com',
    'https://',
    'https://?x',
    'https://exa mple.com',
    'https://exa\tmple.com',
    'https://example.com/a b',
    'https://example.com:99999',
    'https://.',
    'https://.example.com',
    'https://example.com..',
    'https://exam..ple.com',
    'https://1.2.3.256',
    'https://[::1',
    `https://${'a.'.repeat(150)}com`,
    // Takes the parser two seconds.
    `https://${Array.from({ length: 40_000 }, (_, index) => String.fromCodePoint(0x4e00 + (index % 20_000))).join('')}`,
    'file:///etc/passwd',
    'data:text/html,x',
    'blob:https://example.com/1',
    'chrome-extension://abcdef',
    'ftp://example.com',
    'javascript:alert(1)',
  ])('%j has no host', (text) => {
    expect(hostOfUrl(text)).toBeNull();
    expect(hostOfUrl(text)).toBeNull();
  });

  it('answers the same however many other values pass in between', () => {
    for (let index = 0; index < 2_500; index += 1) {
      expect(hostOfUrl(`https://site-${index}.example/`)).toBe(`site-${index}.example`);
    }
    expect(hostOfUrl('https://site-0.example/')).toBe('site-0.example');
  });

  it('never throws, whatever a header holds', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('', 'http://', 'https://'), (text, scheme) => {
        const host = hostOfUrl(scheme + text);
        expect(host === null || (host.length > 0 && !/[\s/@]/.test(host))).toBe(true);
      }),
    );
  });
});

describe('isLoopbackUrl', () => {
  it.each(['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:80/x', 'http://[::ffff:127.0.0.1]'])(
    '%s leads to this machine',
    (url) => {
      expect(isLoopbackUrl(url)).toBe(true);
    },
  );
  it.each(['https://forms.example.com', 'http://10.0.0.1', 'http://localhost.example.com', 'localhost', ''])(
    '%s does not',
    (url) => {
      expect(isLoopbackUrl(url)).toBe(false);
    },
  );
});

describe('isLocalhost', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'app.localhost',
    'a.b.localhost',
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
  ])('%s is local', (host) => {
    expect(isLocalhost(host)).toBe(true);
  });

  it.each([
    '',
    'example.com',
    'localhost.example.com',
    'notlocalhost',
    '127.example.com',
    '127.0.0.1.example.com',
    '128.0.0.1',
    '0.0.0.0',
    '10.0.0.1',
    '::',
    '::2',
    '::7f00:1',
  ])('%j is not', (host) => {
    expect(isLocalhost(host)).toBe(false);
  });
});

describe('normaliseOriginPattern', () => {
  it.each([
    ['example.com', 'example.com'],
    [' Example.COM ', 'example.com'],
    ['example.com.', 'example.com'],
    ['https://Example.com:8080/', 'example.com'],
    ['https://example.com', 'example.com'],
    ['http://example.com/path/@x?y=1#z', 'example.com'],
    ['example.com:3000', 'example.com'],
    ['example.com/', 'example.com'],
    ['localhost', 'localhost'],
    ['localhost:5173', 'localhost'],
    ['*.example.com', '*.example.com'],
    ['*.Example.com:443', '*.example.com'],
    ['https://*.example.com', '*.example.com'],
    ['*.localhost', '*.localhost'],
    ['my_site.example', 'my_site.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.BÜCHER.example', '*.xn--bcher-kva.example'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['192.168.1.10', '192.168.1.10'],
    ['192.168.1.10:8080', '192.168.1.10'],
    ['http://127.0.0.1:3000', '127.0.0.1'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['http://[2001:DB8::0:1]:8080/', '2001:db8::1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('%s becomes %s', (text, pattern) => {
    expect(normaliseOriginPattern(text)).toBe(pattern);
    expect(normaliseOriginPattern(pattern)).toBe(pattern);
  });

  it.each([
    '',
    '   ',
    '*',
    '*.',
    '**',
    '**.example.com',
    '*.*.example.com',
    'a.*.example.com',
    '*example.com',
    'exam*ple.com',
    'example.*',
    '*.192.168.1.10',
    '.example.com',
    'example..com',
    'example.com..',
    '.',
    'exa mple.com',
    'example.com other.com',
    'example.com,other.com',
    '-example.com',
    'example-.com',
    'exa%6dple.com',
    'exa$mple.com',
    'user@example.com',
    'https://user@example.com',
    'example.com/path',
    'example.com:port',
    'ftp://example.com',
    'https://',
    'https:',
    '123',
    '1.2',
    '1.2.3.256',
    '0x7f.1',
    '[::1',
    '[1.2.3.4]',
    '[example.com]',
    'null\u0000',
    'a\u0000b.com',
    `${'a'.repeat(64)}.example`,
    `${'abcdefgh.'.repeat(30)}example`,
    'a'.repeat(100_000),
  ])('%j is refused', (text) => {
    expect(normaliseOriginPattern(text)).toBeNull();
  });

  it('counts the 253 bytes after conversion, the wildcard included', () => {
    const name = `${'a'.repeat(49)}.`.repeat(5);
    expect(normaliseOriginPattern(`${name}abc`)).toHaveLength(253);
    expect(normaliseOriginPattern(`${name}abcd`)).toBeNull();
    expect(normaliseOriginPattern(`*.${name}a`)).toHaveLength(253);
    expect(normaliseOriginPattern(`*.${name}ab`)).toBeNull();
  });

  it('never throws, and what it returns is stable', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.webUrl(), fc.domain()),
        (text) => {
          const pattern = normaliseOriginPattern(text);
          if (pattern !== null) expect(normaliseOriginPattern(pattern)).toBe(pattern);
        },
      ),
    );
  });
});

describe('originMatches', () => {
  const patterns = [
    'example.com',
    '*.example.org',
    'https://Shop.Example.net:8443/',
    '10.0.0.1',
    '[::1]',
    '*',
  ];

  it.each([
    ['example.com', true],
    ['www.example.com', false],
    ['example.org', false],
    ['a.example.org', true],
    ['a.b.c.example.org', true],
    ['notexample.org', false],
    ['a.notexample.org', false],
    ['example.org.evil.net', false],
    ['.example.org', false],
    ['shop.example.net', true],
    ['10.0.0.1', true],
    ['10.0.0.2', false],
    ['::1', true],
    ['*', false],
    ['', false],
  ])('%j: %s', (host, expected) => {
    expect(originMatches(patterns, host)).toBe(expected);
    expect(originMatches(compileOriginPatterns(patterns), host)).toBe(expected);
  });

  it('matches nothing without patterns', () => {
    expect(originMatches([], 'example.com')).toBe(false);
    expect(originMatches(compileOriginPatterns(['*', 'a b']), 'example.com')).toBe(false);
  });

  it('finds the host of every URL whose own text is the pattern', () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        const pattern = normaliseOriginPattern(url);
        fc.pre(pattern !== null);
        expect(originMatches([url], hostOfUrl(url) ?? '')).toBe(true);
      }),
    );
  });
});
