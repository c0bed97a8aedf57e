import { describe, expect, it } from 'vitest';
import { secretSpellings } from './smtp-fault.js';
import { parseSmtpUrl } from './smtp-url.js';

describe('the address of the mail server', () => {
  it.each([
    ['smtp://mail.example', { host: 'mail.example', port: undefined, secure: false, auth: undefined }],
    ['SMTPS://mail.example', { host: 'mail.example', port: undefined, secure: true }],
    ['smtp://mail.example:465', { port: 465, secure: true }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, secure: false }],
    ['smtp://me%40x.example:p%3Aw%2F%25@mail', { auth: { user: 'me@x.example', pass: 'p:w/%' } }],
    ['smtp://me:100%@mail', { auth: { user: 'me', pass: '100%' } }],
    [
      'smtp://mail?requireTLS=true&tls.rejectUnauthorized=false&name=forms.example',
      { options: { requireTLS: true, name: 'forms.example' }, tls: { rejectUnauthorized: false } },
    ],
  ])('%s', (url, expected) => {
    expect(parseSmtpUrl(url)).toMatchObject(expected);
  });

  it.each([
    ['smtp://mail.example?logger=true', 'SMTP_URL has the unknown parameter "logger"; known are requireTLS'],
    ['smtp://mail.example?requireTLS=1', 'SMTP_URL has the parameter "requireTLS" with a value other than'],
    ['smtp://mail.example?tls.ca=x', 'SMTP_URL has the unknown parameter "tls.ca"'],
    ['smtp://mail.example?__proto__=x', 'SMTP_URL has the unknown parameter "__proto__"'],
  ])('%s is refused', (url, text) => {
    expect(() => parseSmtpUrl(url)).toThrow(text);
  });
});

it('masks credentials in every spelling, and nothing that is too short to be one', () => {
  const spellings = secretSpellings({ user: 'me', pass: 'p w/ord' });
  expect(spellings).toEqual(
    expect.arrayContaining(['p w/ord', 'p%20w%2Ford', btoa('p w/ord'), btoa('\0me\0p w/ord')]),
  );
  expect(spellings).not.toContain('me');
  expect(secretSpellings(undefined)).toEqual([]);
});
