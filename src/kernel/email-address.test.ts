import { describe, expect, it } from 'vitest';
import { distinctAddresses, isMailbox, isPlainAddress } from './email-address.js';

describe('one address', () => {
  it.each(['ada@example.org', "o'hara+forms@mail.example.co.uk", 'A_b.c-d@x-y.example', 'a@1.example'])(
    '%s is plain',
    (text) => {
      expect(isPlainAddress(text)).toBe(true);
      expect(isMailbox(text)).toBe(true);
    },
  );

  it.each(['grüße@example.org', 'root@localhost'])('%s is a mailbox, but not plain', (text) => {
    expect(isMailbox(text)).toBe(true);
    expect(isPlainAddress(text)).toBe(false);
  });

  it.each([
    '', '@', 'a@', '@b.example', 'a b@c.example', ' a@b.example', 'a@b.example ', 'a@b.example\n', 'a@b.example\r',
    'a@b.example,c@d.example', 'a@b.example;c@d.example', 'Ada <a@b.example>', '<a@b.example>', '"a b"@c.example',
    'a@b@c.example', 'a@[127.0.0.1]', 'a@b.example\0', 'a\u2028@b.example', 'a@b.example\u0085', 'mailto:a@b.example',
    'a@-b.example-', `${'a'.repeat(250)}@b.example`,
  ])('%j is neither', (text) => {
    expect(isMailbox(text)).toBe(false);
    expect(isPlainAddress(text)).toBe(false);
  }); // biome-ignore format: a list to be read at once

  it.each([
    '.a@b.example',
    'a.@b.example',
    'a..b@c.example',
    'a@b..example',
    'a\u202e@b.example',
    'a@b.example.',
  ])('%j is not plain', (text) => expect(isPlainAddress(text)).toBe(false));

  it('is found out in linear time', () => {
    const text = `${'a.'.repeat(120)}@${'a-'.repeat(5)}`;
    expect(isPlainAddress(text)).toBe(false);
    expect(isPlainAddress(`${'a'.repeat(1_000_000)}@b.example`)).toBe(false);
  });
});

it('addresses are distinct however they are spelt, in the spelling that comes first', () => {
  const addresses = ['Ada@example.org', 'bob@example.org', 'ada@EXAMPLE.org', 'eve@example.org'];
  expect(distinctAddresses(addresses)).toEqual(['Ada@example.org', 'bob@example.org', 'eve@example.org']);
  expect(distinctAddresses(addresses, ['BOB@example.org'])).toEqual(['Ada@example.org', 'eve@example.org']);
});
