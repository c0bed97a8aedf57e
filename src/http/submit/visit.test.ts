import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { only } from '../../../test/support/ports.js';
import { parseTrustProxy } from '../../kernel/trust-proxy.js';
import { readerOf, visitOf } from './visit.js';

const requestWith = (headers: IncomingHttpHeaders, remoteAddress = '203.0.113.7'): IncomingMessage =>
  only<IncomingMessage>({ headers, socket: only<Socket>({ remoteAddress }) });

const trusting = (text: string) => {
  const result = parseTrustProxy(text);
  if (!result.ok) throw new Error(result.message);
  return result.trusted;
};

describe('visitOf', () => {
  it('reads the head once', () => {
    const headers = {
      origin: 'https://example.com',
      referer: 'https://example.com/contact',
      'x-service-key': 'key',
      'user-agent': 'Browser',
    };
    expect(visitOf(requestWith(headers), trusting(''))).toEqual({
      ip: '203.0.113.7',
      origin: 'https://example.com',
      referer: 'https://example.com/contact',
      serviceKey: 'key',
      userAgent: 'Browser',
    });
  });

  it('leaves out what was not sent', () => {
    expect(visitOf(requestWith({}), trusting(''))).toEqual({
      ip: '203.0.113.7',
      origin: undefined,
      referer: undefined,
      serviceKey: undefined,
      userAgent: undefined,
    });
  });

  it('believes X-Forwarded-For only from a trusted proxy', () => {
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    expect(visitOf(requestWith(headers), trusting('')).ip).toBe('203.0.113.7');
    expect(visitOf(requestWith(headers), trusting('203.0.113.7')).ip).toBe('198.51.100.1');
  });

  it('writes an IPv4 address that came mapped as IPv4', () => {
    expect(visitOf(requestWith({}, '::ffff:203.0.113.7'), trusting('')).ip).toBe('203.0.113.7');
  });

  it('keeps a bounded part of what is stored with every submission', () => {
    const long = `https://example.com/${'x'.repeat(10_000)}`;
    const visit = visitOf(requestWith({ origin: long, referer: long, 'user-agent': long }), trusting(''));
    for (const value of [visit.origin, visit.referer, visit.userAgent]) expect(value).toHaveLength(2_048);
  });
});

describe('who reads the response', () => {
  const scripted = { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'cross-site' };
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  it.each([
    ['a browser that posts a form', { accept: browser, 'sec-fetch-mode': 'navigate' }, 'person'],
    ['an old browser', { accept: browser, 'content-type': 'multipart/form-data; boundary=x' }, 'person'],
    ['a script that sends JSON', { accept: '*/*', 'content-type': 'application/json' }, 'program'],
    ['JSON with a parameter', { 'content-type': 'Application/JSON; charset=utf-8' }, 'program'],
    ['a script that asks for JSON', { accept: 'application/json' }, 'program'],
    ['JSON among others', { accept: 'text/plain, application/json;q=0.9' }, 'program'],
    [
      'JSON sent by something that shows pages',
      { accept: 'text/html', 'content-type': 'application/json' },
      'program',
    ],
    ['both asked for', { accept: 'application/json, text/html', ...scripted }, 'program'],
    ['fetch with its defaults', { accept: '*/*', ...scripted }, 'program'],
    ['fetch within the same origin', { accept: '*/*', 'sec-fetch-mode': 'same-origin' }, 'program'],
    ['an old XMLHttpRequest', { accept: '*/*', 'x-requested-with': 'XMLHttpRequest' }, 'program'],
    [
      'a library that sets the header, in a navigation',
      { 'sec-fetch-mode': 'navigate', 'x-requested-with': 'XMLHttpRequest' },
      'unknown',
    ],
    ['a beacon', { accept: '*/*', 'sec-fetch-mode': 'no-cors' }, 'unknown'],
    [
      'Turbo',
      { accept: 'text/vnd.turbo-stream.html, text/html, application/xhtml+xml', ...scripted },
      'htmlScript',
    ],
    ['htmx 4', { accept: 'text/html', 'hx-request': 'true', ...scripted }, 'htmlScript'],
    ['htmx 2', { accept: '*/*', 'hx-request': 'true', ...scripted }, 'htmlScript'],
    ["Node's fetch that asks for HTML", { accept: 'text/html', 'sec-fetch-mode': 'cors' }, 'person'],
    ['htmx that asks for JSON', { accept: 'application/json', 'hx-request': 'true', ...scripted }, 'program'],
    ['a program without preferences', { accept: '*/*' }, 'unknown'],
    ['no header at all', {}, 'unknown'],
    [
      'a type that only looks alike',
      { 'content-type': 'application/jsonp', accept: 'text/htmlx' },
      'unknown',
    ],
  ])('%s', (_, headers, reader) => {
    expect(readerOf(requestWith(headers))).toBe(reader);
  });
});
