import { describe, expect, it } from 'vitest';
import { invalid, refusalOf, testLimits, tooMany, tooManyBytes } from '../../../../test/support/bodies.js';
import { readPartHeader } from './part-header.js';

const read = (disposition: string, more: Record<string, string[]> = {}) =>
  readPartHeader({ 'content-disposition': [disposition], ...more }, testLimits);

/** As the parser passes it on: one character per byte. */
const bytes = (text: string) => Buffer.from(text).toString('latin1');

describe('readPartHeader', () => {
  it('knows a text by its missing file name, whatever its type', () => {
    expect(read('form-data; name="a[]"', { 'content-type': ['application/octet-stream'] })).toEqual({
      kind: 'text',
      name: 'a[]',
    });
  });

  it('knows a file, its plain field name and its declared type', () => {
    expect(
      read('form-data; name="photos[]"; filename="C:\\a\\b.png"', {
        'content-type': ['Image/PNG; x=y'],
      }),
    ).toEqual({
      kind: 'file',
      field: 'photos',
      filename: 'b.png',
      declaredType: 'image/png',
      mayBeAbsent: false,
    });
  });

  it.each([undefined, 'png', 'image/p\u00e9', 'a/b/c', `a/${'x'.repeat(200)}`, '<b>/x'])(
    'does not pass on the declared type %s',
    (type) => {
      const header = read(
        'form-data; name="a"; filename="b"',
        type === undefined ? {} : { 'content-type': [type] },
      );
      expect(header).toMatchObject({ declaredType: 'application/octet-stream' });
    },
  );

  it('sees a file input that may have been left empty', () => {
    expect(read('form-data; name="a"; filename=""')).toMatchObject({ filename: 'file', mayBeAbsent: true });
    expect(read('form-data; name="a"; filename="/"')).toMatchObject({ filename: 'file', mayBeAbsent: false });
  });

  it('reads names as UTF-8 and undoes what browsers escape', () => {
    expect(read(bytes('form-data; name="größe%22%0d%0A"'))).toEqual({ kind: 'text', name: 'größe"\r\n' });
    expect(read(bytes('form-data; name="a"; filename="ü%22😀.txt"'))).toMatchObject({ filename: 'ü"😀.txt' });
    expect(read('form-data; name="100%25"')).toEqual({ kind: 'text', name: '100%25' });
  });

  it('shows a file name of an old encoding as Latin-1, and refuses such a field name', () => {
    expect(read('form-data; name="a"; filename="\u00fc.txt"')).toMatchObject({ filename: 'ü.txt' });
    expect(refusalOf(read('form-data; name="\u00fc"'))).toEqual(invalid('A field name is not valid UTF-8'));
  });

  it('reads filename*', () => {
    expect(read("form-data; name=a; filename*=UTF-8''na%C3%AFve.txt")).toMatchObject({
      filename: 'naïve.txt',
    });
    expect(read("form-data; name=a; filename=x.txt; filename*=utf-8'en'y.txt")).toMatchObject({
      filename: 'y.txt',
    });
    expect(read("form-data; name=a; filename=x.txt; filename*=utf-8''%ff")).toMatchObject({
      filename: 'x.txt',
    });
    expect(read('form-data; name=a; filename*=nonsense')).toMatchObject({ kind: 'file', filename: 'file' });
  });

  it.each(['', 'attachment; name="a"', 'form-data; name="a', 'name="a"'])(
    'refuses the disposition %j',
    (value) => {
      expect(refusalOf(read(value))).toEqual(
        invalid('A part of the multipart body has no valid Content-Disposition'),
      );
    },
  );

  it('refuses a part without a name; a text with an empty one stays to be dropped', () => {
    const nameless = invalid('A part of the multipart body has no name');
    expect(refusalOf(read('form-data'))).toEqual(nameless);
    expect(refusalOf(read('form-data; filename="x"'))).toEqual(nameless);
    expect(refusalOf(read('form-data; name=""; filename="x"'))).toEqual(nameless);
    expect(read('form-data; name=""')).toEqual({ kind: 'text', name: '' });
  });

  it('holds names to 256 bytes', () => {
    expect(read(bytes(`form-data; name="${'ü'.repeat(128)}"`))).toMatchObject({ kind: 'text' });
    expect(refusalOf(read(bytes(`form-data; name="${'ü'.repeat(128)}x"`)))).toEqual(
      tooManyBytes('field_name', 256),
    );
  });

  it('holds the header to 8 KiB and 16 lines', () => {
    const disposition = 'form-data; name="a"';
    expect(refusalOf(read(disposition, { x: ['y'.repeat(8 * 1024)] }))).toEqual(
      tooManyBytes('part_header', 8192),
    );
    expect(read(disposition, { x: Array.from({ length: 15 }, () => 'y') })).toMatchObject({ kind: 'text' });
    expect(refusalOf(read(disposition, { x: Array.from({ length: 16 }, () => 'y') }))).toEqual(
      tooMany('part_headers', 16),
    );
  });
});
