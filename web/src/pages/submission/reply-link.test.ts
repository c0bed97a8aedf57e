import { describe, expect, it } from 'vitest';
import { replyLink } from './reply-link.js';

const parts = { address: 'grace@example.com', about: 'Contact', data: {} };
const bodyOf = (link: string) => new URL(link).searchParams.get('body');

describe('a reply', () => {
  it('quotes what was written', () => {
    const data = { name: 'Grace', message: 'Hello,\nhow are you?', tags: ['a', 'b'] };
    const link = replyLink({ ...parts, data });
    expect(new URL(link).pathname).toBe('grace@example.com');
    expect(new URL(link).searchParams.get('subject')).toBe('Re: Contact');
    expect(bodyOf(link)).toBe(
      '\r\n\r\n> name: Grace\r\n> message: Hello,\r\n> how are you?\r\n> tags: ["a","b"]',
    );
  });

  it('adds no recipient, header or parameter, whatever was written', () => {
    const link = replyLink({
      address: 'a+b?cc=x%26&y@example.com',
      about: 'x&bcc=all@example.com\r\nBcc: all@example.com',
      data: { 'n&cc=x': '&cc=all@example.com#\r\nCc: all@example.com' },
    });
    const { pathname, searchParams, hash } = new URL(link);
    expect([...searchParams.keys()]).toEqual(['subject', 'body']);
    expect(decodeURIComponent(pathname)).toBe('a+b?cc=x%26&y@example.com');
    expect(searchParams.get('subject')).toBe('Re: x&bcc=all@example.com Bcc: all@example.com');
    expect(hash).toBe('');
  });

  it('is never longer than mail programs take', () => {
    const data = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, '日本語'.repeat(500)]));
    const link = replyLink({ ...parts, about: '語'.repeat(5_000), data });
    expect(link.length).toBeLessThanOrEqual(1_900);
    expect(bodyOf(link)).toMatch(/^\r\n\r\n> f0: 日本語.*…$/);
  });

  it('takes half of a pair of surrogates, also where it was cut', () => {
    const link = replyLink({ ...parts, about: '\ud83d', data: { a: `${'x'.repeat(399)}😀` } });
    expect(bodyOf(link)).toContain('\ufffd');
  });
});
