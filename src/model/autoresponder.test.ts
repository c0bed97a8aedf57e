import { describe, expect, it } from 'vitest';
import { isAutomaticAddress, suppressedReason, visitorAddress } from './autoresponder.js';

describe('an address that nobody reads', () => {
  it.each([
    'noreply@x.test',
    'No-Reply@x.test',
    'do_not_reply@x.test',
    'donotreply+a@x.test',
    'mailer-daemon@x.test',
    'postmaster@x.test',
    'bounce-17@x.test',
    'list-request@x.test',
    'owner-list@x.test',
  ])('is %s', (address) => expect(isAutomaticAddress(address)).toBe(true));

  it.each(['ada@noreply.test', 'noreplyada@x.test', 'norbert@x.test', 'not@x.test', 'reply@x.test'])(
    'is not %s',
    (address) => expect(isAutomaticAddress(address)).toBe(false),
  );
});

describe("a visitor's address", () => {
  it('is one plain address in a field of that very name', () => {
    expect(visitorAddress({ 'your.email': ' Ada@x.test ' }, 'your.email')).toBe('Ada@x.test');
    expect(visitorAddress({ email: 'ada@x.test' }, 'Email')).toBeNull();
    expect(visitorAddress({ email: { toString: () => 'ada@x.test' } }, 'email')).toBeNull();
    expect(visitorAddress({}, 'constructor')).toBeNull();
  });
});

describe('the reason of a suppressed reply', () => {
  it('is read from the error of its attempt', () => {
    expect(suppressedReason('suppressed: bounced: 550 5.1.1 gone')).toBe('bounced');
    expect(suppressedReason('suppressed: no_mail_server: none is set')).toBe('no_mail_server');
    for (const other of [null, 'mail_server: bounced', 'suppressed: something else'])
      expect(suppressedReason(other)).toBeNull();
  });
});
