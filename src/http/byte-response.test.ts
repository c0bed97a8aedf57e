import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ByteResponse,
  byteResponseHeaders,
  decideByteResponse,
  type StoredBytes,
} from './byte-response.js';

const SENT = 'Sun, 06 Nov 1994 08:49:37 GMT';
const EARLIER = 'Sun, 06 Nov 1994 08:49:36 GMT';
const LATER = 'Sun, 06 Nov 1994 08:49:38 GMT';
/** Within the second that was sent, so that rounding to whole seconds matters in every example. */
const bytes: StoredBytes = {
  etag: '"a,b"',
  modifiedAt: Date.UTC(1994, 10, 6, 8, 49, 37, 900),
  sizeBytes: 10,
};

const part = (start: number, end: number): ByteResponse => ({ status: 206, range: { start, end } });

type Example = readonly [rule: string, headers: IncomingHttpHeaders, expected: number | ByteResponse];

const examples: readonly Example[] = [
  ['9.3.1 nothing asked', {}, 200],

  ['13.1.1 If-Match: the tag', { 'if-match': '"a,b"' }, 200],
  ['13.1.1 If-Match: any', { 'if-match': '*' }, 200],
  ['13.1.1 If-Match: one of a list', { 'if-match': '"x", "a,b"' }, 200],
  ['13.1.1 If-Match: another tag', { 'if-match': '"x"' }, 412],
  ['13.1.1 If-Match: half of a tag', { 'if-match': '"a' }, 412],
  ['13.1.1 If-Match: without quotes', { 'if-match': 'a,b' }, 412],
  ['13.1.1 If-Match: empty', { 'if-match': '' }, 412],
  ['8.8.3.2 If-Match compares strongly', { 'if-match': 'W/"a,b"' }, 412],
  ['8.8.3.2 If-Match: a weak one, then the strong one', { 'if-match': 'W/"a,b","a,b"' }, 200],

  ['13.1.2 If-None-Match: the tag', { 'if-none-match': '"a,b"' }, 304],
  ['13.1.2 If-None-Match: any', { 'if-none-match': '*' }, 304],
  ['13.1.2 If-None-Match: another tag', { 'if-none-match': '"x"' }, 200],
  ['13.1.2 If-None-Match: last of a list', { 'if-none-match': '"", W/"x" ,\t"a,b"' }, 304],
  ['13.1.2 If-None-Match: a star in a list is no tag', { 'if-none-match': '*, "a,b"' }, 200],
  ['13.1.2 If-None-Match: a tag after what is none', { 'if-none-match': 'x, "a,b"' }, 200],
  ['13.1.2 If-None-Match: two tags without a comma', { 'if-none-match': '"x""a,b"' }, 200],
  ['13.1.2 If-None-Match: the inside of a longer list is no tag', { 'if-none-match': '"x"a,b"y"' }, 200],
  ['8.8.3 the W is a capital', { 'if-none-match': 'w/"a,b"' }, 200],
  ['8.8.3.2 If-None-Match compares weakly', { 'if-none-match': 'W/"a,b"' }, 304],
  ['5.6.1.2 empty members of a list', { 'if-none-match': ', ,"x",, "a,b",' }, 304],

  ['13.1.3 If-Modified-Since: the date sent', { 'if-modified-since': SENT }, 304],
  ['13.1.3 If-Modified-Since: a later date', { 'if-modified-since': LATER }, 304],
  ['13.1.3 If-Modified-Since: an earlier date', { 'if-modified-since': EARLIER }, 200],
  ['13.1.3 If-Modified-Since: no date', { 'if-modified-since': 'tomorrow' }, 200],
  ['5.6.7 a year has four digits', { 'if-modified-since': 'Wed, 06 Nov 19940 08:49:37 GMT' }, 200],
  ['13.1.3 If-Modified-Since: more than one', { 'if-modified-since': `${SENT}, ${SENT}` }, 200],
  ['13.1.3 it yields to If-None-Match', { 'if-none-match': '"x"', 'if-modified-since': SENT }, 200],

  ['13.1.4 If-Unmodified-Since: the date sent', { 'if-unmodified-since': SENT }, 200],
  ['13.1.4 If-Unmodified-Since: a later date', { 'if-unmodified-since': LATER }, 200],
  ['13.1.4 If-Unmodified-Since: an earlier date', { 'if-unmodified-since': EARLIER }, 412],
  ['13.1.4 If-Unmodified-Since: no date', { 'if-unmodified-since': '0' }, 200],
  ['13.1.4 it yields to If-Match', { 'if-match': '"a,b"', 'if-unmodified-since': EARLIER }, 200],

  ['13.1.5 If-Range: the tag', { range: 'bytes=0-1', 'if-range': '"a,b"' }, part(0, 1)],
  ['13.1.5 If-Range: another tag', { range: 'bytes=0-1', 'if-range': '"x"' }, 200],
  ['13.1.5 If-Range: a weak tag', { range: 'bytes=0-1', 'if-range': 'W/"a,b"' }, 200],
  ['13.1.5 If-Range: no list, no star', { range: 'bytes=0-1', 'if-range': '*' }, 200],
  ['13.1.5 If-Range: the date sent', { range: 'bytes=0-1', 'if-range': SENT }, part(0, 1)],
  ['13.1.5 If-Range: a later date', { range: 'bytes=0-1', 'if-range': LATER }, 200],
  ['13.1.5 If-Range: an earlier date', { range: 'bytes=0-1', 'if-range': EARLIER }, 200],
  ['13.1.5 If-Range: neither', { range: 'bytes=0-1', 'if-range': 'x' }, 200],
  ['13.1.5 If-Range: several headers', { range: 'bytes=0-1', 'if-range': ['"a,b"', '"a,b"'] }, 200],
  ['13.1.5 If-Range fails before the range does', { range: 'bytes=10-', 'if-range': '"x"' }, 200],
  ['13.1.5 If-Range without Range', { 'if-range': '"x"' }, 200],

  ['13.2.2 412 comes before 304', { 'if-match': '"x"', 'if-none-match': '"a,b"' }, 412],
  ['13.2.2 304 after a match', { 'if-match': '"a,b"', 'if-none-match': '"a,b"' }, 304],
  ['13.2.2 304 after a date that holds', { 'if-unmodified-since': SENT, 'if-modified-since': SENT }, 304],
  ['13.2.2 304 comes before 206', { 'if-none-match': '"a,b"', range: 'bytes=0-1' }, 304],
  ['13.2.2 412 comes before 416', { 'if-match': '"x"', range: 'bytes=10-' }, 412],
  [
    '13.2.2 206 after all of them',
    { 'if-match': '*', 'if-none-match': '"x"', range: 'bytes=0-1' },
    part(0, 1),
  ],

  ['14.1 the unit in any case', { range: 'ByTeS=0-1' }, part(0, 1)],
  ['14.1 another unit', { range: 'lines=0-1' }, 200],
  ['14.1.1 no unit', { range: '0-1' }, 200],
  ['14.1.1 no numbers', { range: 'bytes=-' }, 200],
  ['14.1.1 nothing', { range: '' }, 200],
  ['14.1.1 backwards', { range: 'bytes=5-4' }, 200],
  ['14.1.1 backwards and past the end', { range: 'bytes=50-40' }, 200],
  ['14.1.1 a sign', { range: 'bytes=+1-2' }, 200],
  ['14.1.1 digits of another script', { range: 'bytes=١-٢' }, 200],
  ['14.1.1 hexadecimal', { range: 'bytes=0x1-2' }, 200],
  ['14.1.1 two dashes', { range: 'bytes=0-1-2' }, 200],
  ['14.1.2 the first byte', { range: 'bytes=0-0' }, part(0, 0)],
  ['14.1.2 the last byte', { range: 'bytes=-1' }, part(9, 9)],
  ['14.1.2 from a byte on', { range: 'bytes=4-' }, part(4, 9)],
  ['14.1.2 the whole is still a part', { range: 'bytes=0-' }, part(0, 9)],
  ['14.1.2 an end past the end', { range: 'bytes=4-10' }, part(4, 9)],
  ['14.1.2 leading zeros', { range: 'bytes=004-05' }, part(4, 5)],
  ['14.1.2 a suffix longer than the bytes', { range: 'bytes=-11' }, part(0, 9)],
  ['14.1.2 a start at the end', { range: 'bytes=10-' }, 416],
  ['14.1.2 an empty suffix', { range: 'bytes=-0' }, 416],
  ['14.1.2 an empty suffix in many digits', { range: 'bytes=-000' }, 416],
  ['14.1.2 an end past 2^53', { range: 'bytes=4-9007199254740993' }, part(4, 9)],
  ['14.1.2 an end past any number', { range: `bytes=4-${'9'.repeat(400)}` }, part(4, 9)],
  ['14.1.2 a suffix past any number', { range: `bytes=-${'9'.repeat(400)}` }, part(0, 9)],
  ['14.1.2 a start past any number', { range: `bytes=${'9'.repeat(400)}-` }, 416],
  ['14.1.2 equal past 2^53', { range: 'bytes=9007199254740993-9007199254740993' }, 416],
  ['14.1.1 backwards past 2^53', { range: 'bytes=9007199254740993-9007199254740992' }, 200],
  ['14.2 two ranges', { range: 'bytes=0-1,4-5' }, 200],
  ['14.2 two ranges, none of them in the bytes', { range: 'bytes=10-,11-' }, 200],
  ['14.2 two headers, as they arrive', { range: 'bytes=0-1, bytes=4-5' }, 200],
];

describe('decideByteResponse', () => {
  it.each(examples)('RFC 9110, %s', (_rule, headers, expected) => {
    expect(decideByteResponse(headers, bytes)).toEqual(
      typeof expected === 'number' ? { status: expected } : expected,
    );
  });

  it.each<[string, IncomingHttpHeaders, number]>([
    ['14.2 Range means nothing', { range: 'bytes=0-1' }, 200],
    ['14.2 nor does one that cannot be met', { range: 'bytes=10-' }, 200],
    ['13.1.2 If-None-Match', { 'if-none-match': '"a,b"' }, 304],
    ['13.1.3 If-Modified-Since', { 'if-modified-since': SENT }, 304],
    ['13.1.1 If-Match', { 'if-match': '"x"' }, 412],
  ])('RFC 9110, for HEAD: %s', (_rule, headers, status) => {
    expect(decideByteResponse(headers, bytes, 'HEAD')).toEqual({ status });
  });

  it.each([
    ['bytes=0-', 416],
    ['bytes=0-0', 416],
    ['bytes=-1', 416],
    ['bytes=-0', 416],
    ['bytes=1-0', 200],
    ['bytes=0-,1-', 200],
  ])('has no part of an empty file to give: %s', (range, status) => {
    expect(decideByteResponse({ range }, { ...bytes, sizeBytes: 0 })).toEqual({ status });
  });

  it.each([
    'Invalid Date',
    'Mon, 06 Nov 1980 08:49:37 GMT',
    'Thu, 31 Feb 1980 08:49:37 GMT',
    'Thu, 06 Nov 1980 24:00:00 GMT',
    'Thu, 06 Nov 1980 08:49:37 UTC',
    'Thu, 06 Nov 1980 08:49:37 +0000',
    'thu, 06 nov 1980 08:49:37 gmt',
    'Thu, 6 Nov 1980 08:49:37 GMT',
    'Thu, 06 Nov 1980 08:49:37 GMT (x)',
    'Thursday, 06-Nov-80 08:49:37 GMT',
    'Thu Nov  6 08:49:37 1980',
    'Thursday, 06-Nov-1980 08:49:37 GMT',
    'Thurs, 06-Nov-80 08:49:37 GMT',
    'Thu Nov 6 08:49:37 1980',
    'Thu Nov  6 08:49:37 1980 GMT',
    '1980-11-06T08:49:37Z',
    '1980',
  ])('ignores what is no date of HTTP: %s', (date) => {
    // Each would be a 412 if it were read as the day in 1980 that it resembles.
    expect(decideByteResponse({ 'if-unmodified-since': date }, bytes)).toEqual({ status: 200 });
  });

  it('gives the part that a set of positions gives, for every single range', () => {
    const past = 2n ** 53n;
    const position = fc.oneof(
      fc.bigInt({ min: 0n, max: 24n }),
      fc.bigInt({ min: past - 2n, max: past + 4n }),
    );
    const optional = fc.option(position, { nil: null });
    fc.assert(
      fc.property(optional, optional, fc.nat({ max: 20 }), (first, last, sizeBytes) => {
        const range = `bytes=${first ?? ''}-${last ?? ''}`;
        const all = Array.from({ length: sizeBytes }, (_, index) => index);
        const asked = all.filter((index) =>
          first === null
            ? last !== null && BigInt(sizeBytes - index) <= last
            : first <= BigInt(index) && (last === null || BigInt(index) <= last),
        );
        const malformed =
          (first === null && last === null) || (first !== null && last !== null && last < first);
        const [start] = asked;
        const end = asked.at(-1);
        const expected = malformed
          ? { status: 200 }
          : start === undefined || end === undefined
            ? { status: 416 }
            : { status: 206, range: { start, end } };
        expect(decideByteResponse({ range }, { ...bytes, sizeBytes })).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  const pieces = fc.constantFrom(
    'bytes=',
    '-',
    ',',
    ' ',
    '0',
    '9',
    '"',
    'W/',
    '*',
    '"a,b"',
    SENT,
    'GMT',
    '\t',
    'x',
  );
  const headerText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 8 }).map((some) => some.join('')),
    fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 })).map(([first, last]) => `bytes=${first}-${last}`),
  );
  const anyHeaders = fc.record(
    {
      'if-match': headerText,
      'if-none-match': headerText,
      'if-modified-since': headerText,
      'if-unmodified-since': headerText,
      'if-range': fc.oneof(headerText, fc.array(headerText)),
      range: headerText,
    },
    { requiredKeys: [] },
  );

  it('never throws, and never gives a part outside the bytes, whatever the headers say', () => {
    const method = fc.constantFrom('GET', 'HEAD');
    fc.assert(
      fc.property(anyHeaders, fc.nat({ max: 20 }), method, (headers, sizeBytes, asked) => {
        const stored = { ...bytes, sizeBytes };
        const answer = decideByteResponse(headers, stored, asked);
        if (answer.status !== 206) {
          expect([200, 304, 412, 416]).toContain(answer.status);
          return;
        }
        const { start, end } = answer.range;
        expect(asked).toBe('GET');
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThanOrEqual(start);
        expect(end).toBeLessThan(sizeBytes);
        expect(byteResponseHeaders(answer, stored)['content-length']).toBe(String(end - start + 1));
      }),
      { numRuns: 2000 },
    );
  });

  // Headers of real requests are limited to 16 KiB. At this length, quadratic parsing exceeds the time limit.
  const LONG = 1 << 20;
  it.each<[string, IncomingHttpHeaders, number]>([
    ['ranges', { range: `bytes=${'0-,'.repeat(LONG / 3)}` }, 200],
    ['digits', { range: `bytes=${'0'.repeat(LONG)}` }, 200],
    ['digits on both sides', { range: `bytes=${'9'.repeat(LONG)}-${'9'.repeat(LONG)}` }, 416],
    ['dashes', { range: `bytes=${'-'.repeat(LONG)}` }, 200],
    ['tags', { 'if-none-match': '"x",'.repeat(LONG / 4) }, 200],
    ['opened quotes', { 'if-none-match': '"'.repeat(LONG) }, 200],
    ['a tag without an end', { 'if-none-match': `"${'x'.repeat(LONG)}` }, 200],
    ['commas', { 'if-none-match': ','.repeat(LONG) }, 200],
    ['blanks after a tag', { 'if-none-match': `"x"${' '.repeat(LONG)}x` }, 200],
    ['weak marks', { 'if-none-match': 'W/'.repeat(LONG / 2) }, 200],
    ['letters for a date', { 'if-modified-since': 'Sun'.repeat(LONG / 3) }, 200],
    ['brackets for a date', { 'if-modified-since': '('.repeat(LONG) }, 200],
  ])('reads a header full of %s in one go', (_what, headers, status) => {
    expect(decideByteResponse(headers, bytes)).toEqual({ status });
  });

  it('reads headers that were sent twice as the server hands them over', async () => {
    const server = createServer((incoming, response) => {
      response.end(JSON.stringify(decideByteResponse(incoming.headers, bytes)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answerTo = async (headers: Record<string, string[]>): Promise<unknown> => {
      const chunks: Buffer[] = await new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, headers, agent: false }, (response) => {
          resolve(response.toArray());
        })
          .on('error', reject)
          .end();
      });
      return JSON.parse(Buffer.concat(chunks).toString());
    };
    try {
      expect(await answerTo({ 'if-none-match': ['"x"', 'W/"a,b"'] })).toEqual({ status: 304 });
      expect(await answerTo({ 'if-match': ['"x"', '"a,b"'], range: ['bytes=1-2  '] })).toEqual(part(1, 2));
      expect(await answerTo({ range: ['bytes=0-1', 'bytes=4-5'] })).toEqual({ status: 200 });
      expect(await answerTo({ range: ['bytes=0-1'], 'if-range': ['"a,b"', '"a,b"'] })).toEqual({
        status: 200,
      });
    } finally {
      server.close();
    }
  });
});

describe('byteResponseHeaders', () => {
  const validators = { etag: '"a,b"', 'last-modified': SENT, 'accept-ranges': 'bytes' };

  it.each<[ByteResponse, Record<string, string>]>([
    [{ status: 200 }, { 'content-length': '10' }],
    [part(2, 4), { 'content-length': '3', 'content-range': 'bytes 2-4/10' }],
    [{ status: 304 }, {}],
    [{ status: 412 }, {}],
    [{ status: 416 }, { 'content-range': 'bytes */10' }],
  ])('says of %j the validators, and %j', (answer, more) => {
    expect(byteResponseHeaders(answer, bytes)).toEqual({ ...validators, ...more });
  });

  it('sends validators that a client can send back', () => {
    const modifiedAt = fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true });
    const etag = fc.base64String({ minLength: 1 }).map((text) => `"${text}"`);
    fc.assert(
      fc.property(modifiedAt, etag, (at, tag) => {
        const stored = { etag: tag, modifiedAt: at.getTime(), sizeBytes: 10 };
        const sent = byteResponseHeaders({ status: 200 }, stored);
        const ask = (headers: IncomingHttpHeaders) => decideByteResponse(headers, stored);
        expect(ask({ 'if-none-match': sent.etag })).toEqual({ status: 304 });
        expect(ask({ 'if-modified-since': sent['last-modified'] })).toEqual({ status: 304 });
        const met = { 'if-unmodified-since': sent['last-modified'], range: 'bytes=5-' };
        expect(ask({ ...met, 'if-range': sent.etag })).toEqual(part(5, 9));
        expect(ask({ ...met, 'if-range': sent['last-modified'] })).toEqual(part(5, 9));
        expect(ask({ 'if-match': sent.etag, range: 'bytes=5-' })).toEqual(part(5, 9));
      }),
      { numRuns: 300 },
    );
  });
});
