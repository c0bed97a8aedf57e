import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  filePart,
  freely,
  invalid,
  lingeringSink,
  MemorySink,
  multipartBody,
  type Part,
  refusalOf,
  requestOf,
  testLimits,
  textPart,
  tooMany,
  tooManyBytes,
} from '../../../../test/support/bodies.js';
import { Refusal } from '../../../model/errors.js';
import type { BodySource } from './body-pump.js';
import type { BodyLimits } from './limits.js';
import type { FileSink } from './read-body.js';
import { readMultipart } from './read-multipart.js';

const boundary = 'b0undary';
const small = { maxFileBytes: 10, maxFiles: 2, maxValueBytes: 10, maxParts: 4 };

function readFrom<T>(source: BodySource, sink: FileSink<T>, limits: Partial<BodyLimits> = {}) {
  return readMultipart(source, boundary, { ...testLimits, ...limits }, sink, freely);
}

const outcomeOf = (body: Buffer | string, limits: Partial<BodyLimits> = {}, sink = new MemorySink()) =>
  readFrom(requestOf(body), sink, limits);

const refused = async (body: Buffer | string, limits: Partial<BodyLimits> = {}) =>
  refusalOf(await outcomeOf(body, limits));

async function read(parts: readonly Part[] | string, limits: Partial<BodyLimits> = {}) {
  const body = typeof parts === 'string' ? parts : multipartBody(boundary, parts);
  const outcome = await outcomeOf(body, limits);
  if (outcome instanceof Refusal || outcome === 'aborted') throw new Error(JSON.stringify(outcome));
  const files = outcome.files.map((file) => ({ ...file, bytes: file.bytes.toString() }));
  return { json: outcome.fields.json, reserved: Object.fromEntries(outcome.fields.reserved), files };
}

describe('readMultipart: fields', () => {
  it('keeps order, repetition, brackets and strange names', async () => {
    const { json, reserved, files } = await read([
      textPart('10', 'a'),
      textPart('2', 'ü😀'),
      textPart('__proto__', ''),
      textPart('list[]', '1'),
      textPart('10', 'b'),
      textPart('_gotcha', 'bot'),
    ]);
    expect(json).toBe('{"10":["a","b"],"2":"ü😀","__proto__":"","list":["1"]}');
    expect(reserved).toEqual({ _gotcha: 'bot' });
    expect(files).toEqual([]);
  });

  it('reads a text as UTF-8, whatever type, charset or encoding the part declares', async () => {
    const disposition = 'Content-Disposition: form-data; name="a"';
    const declared = [
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Type: application/octet-stream',
      'Content-Type: text/plain; charset=utf-16le',
      'Content-Transfer-Encoding: base64',
    ];
    for (const line of declared) {
      expect((await read([{ headers: [disposition, line], content: 'ü' }])).json).toBe('{"a":"ü"}');
    }
  });

  it('reads what a page without a declared charset sends: windows-1252', async () => {
    const text = Buffer.from([0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72, 0x20, 0x80]);
    expect((await read([textPart('a', text)])).json).toBe('{"a":"Müller €"}');
  });

  it('drops a text with an empty name', async () => {
    expect((await read([textPart('', 'x'), textPart('a', 'y')])).json).toBe('{"a":"y"}');
  });

  it('takes a preamble, an epilogue and a body without any part', async () => {
    expect((await read(`--${boundary}--`)).json).toBe('{}');
    const body = multipartBody(boundary, [textPart('a', '1')]).toString();
    expect((await read(`preamble\r\n${body}epilogue\r\n--${boundary}\r\nmore`)).json).toBe('{"a":"1"}');
  });
});

describe('readMultipart: files', () => {
  it('stages them one after the other, in their order, with clean names', async () => {
    const sink = new MemorySink('slow');
    const body = multipartBody(boundary, [
      filePart('docs[]', 'C:\\x\\one.txt', '1'.repeat(20_000), 'text/plain'),
      textPart('a', 'between'),
      filePart('docs[]', '', 'no name', 'application/pdf'),
      filePart('empty', 'empty.bin', ''),
    ]);
    const outcome = await outcomeOf(body, {}, sink);
    expect(outcome).toMatchObject({
      fields: { json: '{"a":"between"}' },
      files: [
        { field: 'docs', filename: 'one.txt', declaredType: 'text/plain', bytes: Buffer.alloc(20_000, '1') },
        { field: 'docs', filename: 'file', declaredType: 'application/pdf', bytes: Buffer.from('no name') },
        { field: 'empty', filename: 'empty.bin', declaredType: 'image/png', bytes: Buffer.alloc(0) },
      ],
    });
    expect(sink.mostAtOnce).toBe(1);
    expect(sink.discarded).toEqual([]);
  });

  it('takes a file input that was left empty for no file, however many there are', async () => {
    const empty = filePart('photo', '', '', 'application/octet-stream');
    const { json, files } = await read([empty, textPart('a', '1'), empty, empty], { ...small, maxFiles: 0 });
    expect({ json, files }).toEqual({ json: '{"a":"1"}', files: [] });
  });

  it('waits for the sink after the last byte', async () => {
    const { sink, state } = lingeringSink();
    const settled = vi.fn();
    const source = requestOf(multipartBody(boundary, [filePart('a', 'b', 'c')]));
    const reading = readFrom(source, sink).then(settled);
    await expect.poll(() => [state.read, source.readableEnded]).toEqual([1, true]);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(settled).not.toHaveBeenCalled();
    state.letGo();
    await reading;
    expect(settled).toHaveBeenCalledWith(expect.objectContaining({ files: ['b'] }));
  });
});

describe('readMultipart: limits', () => {
  it('takes a file of exactly the limit and refuses one byte more', async () => {
    expect((await read([filePart('a', 'x', '0123456789')], small)).files).toHaveLength(1);
    expect(await refused(multipartBody(boundary, [filePart('a', 'x', '0123456789!')]), small)).toEqual(
      tooManyBytes('file', 10),
    );
  });

  it('takes a value of exactly the limit and refuses one byte more', async () => {
    expect((await read([textPart('a', '0123456789')], small)).json).toBe('{"a":"0123456789"}');
    expect(await refused(multipartBody(boundary, [textPart('a', '01234567ü!')]), small)).toEqual(
      tooManyBytes('field_value', 10),
    );
  });

  it('refuses one file too many, also one without a name', async () => {
    const file = filePart('a', 'x', '1');
    expect((await read([file, file], small)).files).toHaveLength(2);
    for (const last of [file, filePart('a', '', '1'), filePart('a', 'x', '')]) {
      expect(await refused(multipartBody(boundary, [file, file, last]), small)).toEqual(tooMany('files', 2));
    }
  });

  it('refuses one part too many', async () => {
    const parts = Array.from({ length: 5 }, () => textPart('a', '1'));
    expect((await read(parts.slice(1), small)).json).toBe('{"a":["1","1","1","1"]}');
    expect(await refused(multipartBody(boundary, parts), small)).toEqual(tooMany('parts', 4));
  });

  it('takes a body of exactly the limit and refuses one byte more, epilogue included', async () => {
    const body = multipartBody(boundary, [textPart('a', '1')]);
    expect((await read(body.toString(), { maxBodyBytes: body.length })).json).toBe('{"a":"1"}');
    expect(await refused(`${body}x`, { maxBodyBytes: body.length })).toEqual(
      tooManyBytes('body', body.length),
    );
  });

  it('refuses a name that is too long', async () => {
    expect(await refused(multipartBody(boundary, [textPart('n'.repeat(257), '1')]))).toEqual(
      tooManyBytes('field_name', 256),
    );
  });

  // The parser silently truncates a long header: a name or file name at its end would be cut short.
  it.each([8200, 32_768, 33_000, 200_000])('refuses a part header of %i bytes', async (bytes) => {
    const part: Part = {
      headers: [
        `X-Padding: ${'p'.repeat(bytes)}`,
        'Content-Disposition: form-data; name="a"; filename="cut.txt"',
      ],
      content: '1',
    };
    expect(await refused(multipartBody(boundary, [part]))).toEqual(tooManyBytes('part_header', 8192));
  });

  it('refuses a header that the parser cut, even when most of it was folding', async () => {
    const part: Part = {
      headers: [`X-Padding: x${'\r\n '.repeat(12_000)}`, 'Content-Disposition: form-data; name="a"'],
      content: '1',
    };
    expect(await refused(multipartBody(boundary, [part]))).toEqual(tooManyBytes('part_header', 8192));
  });

  it('refuses a part with more than 16 headers', async () => {
    const headers = Array.from({ length: 3000 }, (_, i) => `x-${i}: y`);
    const part: Part = { headers: ['Content-Disposition: form-data; name="a"', ...headers], content: '1' };
    expect(await refused(multipartBody(boundary, [part]))).toEqual(tooMany('part_headers', 16));
  });
});

describe('readMultipart: malformed bodies', () => {
  const whole = multipartBody(boundary, [textPart('a', '1'), filePart('f', 'x.txt', 'content')]);
  const tooEarly = invalid('The multipart body ends too early');

  it('refuses a body that ends anywhere before its last boundary', async () => {
    for (let length = 0; length < whole.length - 2; length += 1) {
      const sink = new MemorySink();
      const refusal = refusalOf(await outcomeOf(whole.subarray(0, length), {}, sink));
      expect([length, refusal]).toEqual([length, tooEarly]);
    }
  });

  it.each([
    ['no boundary at all', 'hello=world'],
    ['another boundary', multipartBody('other', [textPart('a', '1')]).toString()],
    ['only dashes', '--'],
    ['the boundary without its dashes', `${boundary}\r\n\r\n`],
  ])('refuses a body with %s', async (_what, body) => {
    expect(await refused(body)).toEqual(tooEarly);
  });

  it.each([
    ['no header', '\r\nbody'],
    ['no disposition', 'Content-Type: text/plain\r\n\r\nbody'],
    ['another disposition', 'Content-Disposition: attachment; name="a"\r\n\r\nbody'],
    ['a line without a colon first', 'nonsense\r\nContent-Disposition: form-data; name="a"\r\n\r\nbody'],
    ['a bare line feed in its name', 'Content-Disposition: form-data; name="a\nb"\r\n\r\nbody'],
    ['a bare carriage return in its name', 'Content-Disposition: form-data; name="a\rb"\r\n\r\nbody'],
  ])('refuses a part with %s instead of skipping it', async (_what, part) => {
    expect(await refused(`--${boundary}\r\n${part}\r\n--${boundary}--`)).toEqual(
      invalid('A part of the multipart body has no valid Content-Disposition'),
    );
  });

  it('refuses a part without a name and one whose header does not end', async () => {
    const nameless = 'Content-Disposition: form-data\r\n\r\nbody';
    expect(await refused(`--${boundary}\r\n${nameless}\r\n--${boundary}--`)).toEqual(
      invalid('A part of the multipart body has no name'),
    );
    const endless = 'Content-Disposition: form-data; name="a"';
    expect(await refused(`--${boundary}\r\n${endless}\r\n--${boundary}--`)).toEqual(
      invalid('A part of the multipart body has no header'),
    );
  });

  it('takes headers with names of Object.prototype for ordinary ones', async () => {
    const headers = ['__proto__: x', 'constructor: y', 'Content-Disposition: form-data; name="a"'];
    expect((await read([{ headers, content: '1' }])).json).toBe('{"a":"1"}');
  });
});
