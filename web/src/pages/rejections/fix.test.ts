import { describe, expect, it } from 'vitest';
import { fixOf, hostSeen } from './fix.js';

const form = {
  id: 'f1',
  project_id: 'p1',
  allowed_origins: [] as string[],
  sandbox_ips: ['192.0.2.1'],
  blocked_ips: [] as string[],
  validation_mode: 'live' as const,
};
const project = { allowed_origins: ['example.com', '*.example.org'] };
const origin = (url: string) => ({ reason: 'origin', seen: `Origin: ${url}`, ip: '203.0.113.7' });

describe('hostSeen', () => {
  it.each([
    ['Origin: https://staging.example.com', 'staging.example.com'],
    ['Origin: https://Staging.Example.com:8443', 'staging.example.com'],
    ['Referer: https://www.example.org/contact?a=b', 'www.example.org'],
    ['Origin: http://[2001:db8::1]:8080', '2001:db8::1'],
    ['Origin: null', null],
    ['neither Origin nor Referer', null],
    ['Origin: file:///etc/passwd', null],
    // A user would read one host, and the browser another.
    ['Origin: https://example.com@evil.example', null],
    ['Origin: https://example.com\\u{202e}.evil.example', null],
    // A visitor could add a wildcard to the owner's list.
    ['Origin: https://*.com', null],
    ['Origin: https://*', null],
    ['Origin: https://%2a.com', null],
    ['Origin: https://\uff0a.com', null],
    ['Origin: https://ex%61mple.com', null],
    ["Origin: https://a'b.example", null],
    ['Referer: https://www.example.org/100%25?a=*', 'www.example.org'],
    ['Origin: https://b\u00fccher.example', 'xn--bcher-kva.example'],
    [`Origin: https://${'a'.repeat(200)}…`, null],
  ])('%s: %s', (seen, host) => {
    expect(hostSeen(seen)).toBe(host);
  });
});

describe('fixOf', () => {
  it('adds to the list of the form', () => {
    const own = { ...form, allowed_origins: ['own.example'] };
    expect(fixOf(origin('https://new.example'), own, project)).toMatchObject({
      kind: 'change',
      what: 'new.example',
      change: { allowed_origins: ['own.example', 'new.example'] },
      projectList: null,
    });
  });

  it('keeps what the project allows when the form gets a list of its own', () => {
    expect(fixOf(origin('https://new.example'), form, project)).toMatchObject({
      change: { allowed_origins: ['example.com', '*.example.org', 'new.example'] },
      projectList: ['example.com', '*.example.org'],
    });
  });

  it('sees what was fixed since', () => {
    expect(fixOf(origin('https://a.example.org'), form, project)?.kind).toBe('done');
    expect(fixOf(origin('https://example.org'), form, project)?.kind).toBe('change');
    expect(fixOf(origin('https://new.example'), form, { allowed_origins: [] })?.kind).toBe('done');
  });

  it('does not offer localhost to a live form, which would refuse it all the same', () => {
    expect(fixOf(origin('http://localhost:5173'), form, project)?.kind).toBe('go');
    expect(
      fixOf(origin('http://localhost:5173'), { ...form, validation_mode: 'sandbox' }, project)?.kind,
    ).toBe('change');
  });

  it('offers nothing where no host can be read, and says why', () => {
    expect(fixOf(origin('null'), form, project)?.kind).toBe('note');
    expect(fixOf({ ...origin(''), seen: 'neither Origin nor Referer' }, form, project)?.kind).toBe('note');
    expect(fixOf(origin('https://a.example@b.example'), form, project)).toBeNull();
    expect(fixOf(origin('https://*.com'), form, project)).toBeNull();
  });

  it('registers an address, once', () => {
    const sandbox = { ...form, validation_mode: 'sandbox' as const };
    const seen = { reason: 'sandbox', seen: 'address 203.0.113.7', ip: '203.0.113.7' };
    expect(fixOf(seen, sandbox, project)).toMatchObject({
      change: { sandbox_ips: ['192.0.2.1', '203.0.113.7'] },
    });
    expect(fixOf({ ...seen, ip: '192.0.2.1' }, sandbox, project)?.kind).toBe('done');
  });

  it('unblocks by taking out every entry that holds the address, and says so', () => {
    const blocking = { ...form, blocked_ips: ['198.51.100.1', '203.0.113.0/24', '203.0.113.7'] };
    expect(fixOf({ reason: 'blocked', seen: '', ip: '203.0.113.7' }, blocking, project)).toMatchObject({
      what: '203.0.113.0/24, 203.0.113.7',
      effect: expect.stringContaining('all addresses'),
      change: { blocked_ips: ['198.51.100.1'] },
    });
  });
});
