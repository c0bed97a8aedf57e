import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { only } from '../../../test/support/ports.js';
import { parseTrustProxy } from '../../kernel/trust-proxy.js';
import { visitOf, wantsJson, wantsPage } from './visit.js';

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

describe('the form of the answer', () => {
  it.each([
    [
      'a browser that posts a form',
      { accept: 'text/html,*/*;q=0.8', 'content-type': 'multipart/form-data; boundary=x' },
      false,
      true,
    ],
    ['a script that sends JSON', { accept: '*/*', 'content-type': 'application/json' }, true, false],
    ['JSON with a parameter', { 'content-type': 'Application/JSON; charset=utf-8' }, true, false],
    [
      'a script that asks for JSON',
      { accept: 'application/json', 'content-type': 'multipart/form-data' },
      true,
      false,
    ],
    ['JSON among others', { accept: 'text/plain, application/json;q=0.9' }, true, false],
    [
      'JSON sent by something that also shows pages',
      { accept: 'text/html', 'content-type': 'application/json' },
      true,
      false,
    ],
    ['both asked for', { accept: 'application/json, text/html' }, true, false],
    ['a program without wishes', { accept: '*/*' }, false, false],
    ['no header at all', {}, false, false],
    [
      'a type that only looks alike',
      { 'content-type': 'application/jsonp', accept: 'text/htmlx' },
      false,
      false,
    ],
  ])('for %s', (_, headers, json, page) => {
    expect(wantsJson(requestWith(headers))).toBe(json);
    expect(wantsPage(requestWith(headers))).toBe(page);
  });
});
