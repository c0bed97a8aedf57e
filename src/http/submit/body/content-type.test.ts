import { describe, expect, it } from 'vitest';
import { invalid, refusalOf, testLimits } from '../../../../test/support/bodies.js';
import { parseContentType } from './content-type.js';

const parse = (header: string | undefined) => parseContentType(header, testLimits);

describe('parseContentType', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON ;Charset="UTF-8"',
    'application/json;',
    'application/json; charset=us-ascii; profile=x',
  ])('takes %s as JSON', (header) => {
    expect(parse(header)).toEqual({ kind: 'json' });
  });

  it.each(['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=UTF8'])(
    'takes %s as URL-encoded',
    (header) => {
      expect(parse(header)).toEqual({ kind: 'urlencoded' });
    },
  );

  it.each([
    ['multipart/form-data; boundary=----WebKitFormBoundaryAbC123', '----WebKitFormBoundaryAbC123'],
    ['multipart/form-data; boundary="a b:c"', 'a b:c'],
    ['multipart/form-data; boundary=----=_Part_1_23.456', '----=_Part_1_23.456'],
    ['MULTIPART/FORM-DATA; charset=utf-8; BOUNDARY=Xy', 'Xy'],
    [`multipart/form-data; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ])('finds the boundary of %s', (header, boundary) => {
    expect(parse(header)).toEqual({ kind: 'multipart', boundary });
  });

  it.each([undefined, '', '  '])('refuses a missing type (%o)', (header) => {
    expect(refusalOf(parse(header))).toEqual(invalid('Missing Content-Type'));
  });

  it.each(['text/plain', 'application/xml', 'application/jsonp', 'multipart/mixed; boundary=x', 'json'])(
    'refuses the unsupported type %s',
    (header) => {
      expect(refusalOf(parse(header)).extra).toEqual({
        detail: expect.stringMatching(/^Unsupported Content-Type: use application\/json, /),
      });
    },
  );

  it.each([
    'application/json; charset',
    'application/json; charset="utf-8',
    'application/json; =x',
    'multipart/form-data; boundary="a"b',
  ])('refuses the malformed type %s', (header) => {
    expect(refusalOf(parse(header))).toEqual(invalid('Malformed Content-Type'));
  });

  it.each(['iso-8859-1', 'utf-16', 'x'])('refuses the charset %s', (charset) => {
    expect(refusalOf(parse(`application/json; charset=${charset}`))).toEqual(
      invalid('The charset of the body must be UTF-8'),
    );
  });

  it.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=""'])(
    'refuses %s without a boundary',
    (header) => {
      expect(refusalOf(parse(header))).toEqual(invalid('Missing multipart boundary'));
    },
  );

  // 252 bytes hung a parser for ever, 253 made its constructor throw.
  it.each([71, 252, 253, 8000])('refuses a boundary of %i bytes', (length) => {
    expect(refusalOf(parse(`multipart/form-data; boundary=${'x'.repeat(length)}`))).toEqual(
      invalid('The multipart boundary is longer than 70 bytes'),
    );
  });

  it.each(['"a;b"', '"a\\"b"', 'a*b', '"ends with space "', 'caf\u00e9', '"a\tb"'])(
    'refuses the boundary %s',
    (boundary) => {
      expect(refusalOf(parse(`multipart/form-data; boundary=${boundary}`))).toEqual(
        invalid('The multipart boundary has characters that are not allowed'),
      );
    },
  );
});
