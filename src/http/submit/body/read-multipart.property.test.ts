import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  filePart,
  freely,
  MemorySink,
  multipartBody,
  type Part,
  requestOf,
  testLimits,
  textPart,
} from '../../../../test/support/bodies.js';
import { safeFilename } from '../../../kernel/file-name.js';
import { Refusal } from '../../../model/errors.js';
import { reservedFields } from '../../../model/fields.js';
import { readMultipart } from './read-multipart.js';

interface Piece {
  readonly name: string;
  readonly filename: string | undefined;
  readonly content: Buffer;
}

const alphabet = "0123456789ABCXYZabcxyz'()+_,-./:=?";
const boundaries = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 70 });

/** Contents made of parts of the boundary: the nastiest input that is still not a boundary. */
function contents(boundary: string, unit: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const delimiter = `\r\n--${boundary}`;
  const shards = fc.nat(delimiter.length - 1).map((length) => Buffer.from(delimiter.slice(0, length)));
  const lines = fc.constantFrom('\r', '\n', '\r\n', '-', '--', '\r\n\r\n').map((line) => Buffer.from(line));
  return fc
    .array(fc.oneof(shards, lines, unit), { maxLength: 6 })
    .map((pieces) => Buffer.concat(pieces))
    .filter((content) => !`\r\n${content.toString('latin1')}\r\n`.includes(delimiter));
}

const names = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter((name) => !name.includes('%')),
  fc.constantFrom('a', 'a[]', '[]', '10', '2', '__proto__', '_gotcha', 'say "hi"\r\n', 'back\\'),
);

function pieces(boundary: string): fc.Arbitrary<Piece> {
  const text = fc.string({ unit: 'binary', maxLength: 10 }).map((value) => Buffer.from(value));
  const binary = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));
  const filename = fc.oneof(names, fc.constantFrom('', 'x.png', '../y'));
  return fc.oneof(
    fc.record({ name: names, filename: fc.constant(undefined), content: contents(boundary, text) }),
    fc.record({ name: names, filename, content: contents(boundary, binary) }),
  );
}

const bodies = boundaries.chain((boundary) =>
  fc.record({ boundary: fc.constant(boundary), parts: fc.array(pieces(boundary), { maxLength: 5 }) }),
);

const asPart = ({ name, filename, content }: Piece): Part =>
  filename === undefined ? textPart(name, content) : filePart(name, filename, content);

/** The rules of the form encodings again, in their simplest form. */
function expectedOf(parts: readonly Piece[]) {
  const bare = (name: string) => (name !== '[]' && name.endsWith('[]') ? name.slice(0, -2) : name);
  const texts = parts.filter((part) => part.filename === undefined && !reservedFields.has(bare(part.name)));
  const members = [...new Set(texts.map((part) => bare(part.name)))].map((field) => {
    const same = texts.filter((part) => bare(part.name) === field);
    const values = same.map((part) => part.content.toString());
    const isList = values.length > 1 || same.some((part) => part.name !== field);
    return `${JSON.stringify(field)}:${JSON.stringify(isList ? values : values[0])}`;
  });
  const files = parts.flatMap(({ name, filename, content }) => {
    if (filename === undefined || (filename === '' && content.length === 0)) return [];
    return [`${bare(name)} ${safeFilename(filename)} ${content.toString('hex')}`];
  });
  return { json: `{${members.join(',')}}`, files };
}

async function read(boundary: string, chunks: readonly Buffer[], pace: 'eager' | 'slow' = 'eager') {
  const sink = new MemorySink(pace);
  const outcome = await readMultipart(requestOf(...chunks), boundary, testLimits, sink, freely);
  if (outcome === 'aborted' || outcome instanceof Refusal) return { outcome, sink };
  const files = outcome.files.map((file) => `${file.field} ${file.filename} ${file.bytes.toString('hex')}`);
  return { outcome: { json: outcome.fields.json, files }, sink };
}

function split(body: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < body.length; i += 1) {
    const length = lengths[i % lengths.length] ?? 1;
    chunks.push(body.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

const chunkLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

describe('readMultipart on generated bodies', () => {
  it('reads the same from a body that is split at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async ({ boundary, parts }) => {
        const body = multipartBody(boundary, parts.map(asPart));
        const expected = expectedOf(parts);
        expect((await read(boundary, [body])).outcome).toEqual(expected);
        for (let at = 1; at < body.length; at += 1) {
          const { outcome } = await read(boundary, [body.subarray(0, at), body.subarray(at)]);
          expect([at, outcome]).toEqual([at, expected]);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('reads the same from any sequence of chunks, for an eager and a slow sink', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, chunkLengths, async ({ boundary, parts }, lengths) => {
        const body = multipartBody(boundary, parts.map(asPart));
        const expected = expectedOf(parts);
        for (const pace of ['eager', 'slow'] as const) {
          expect((await read(boundary, split(body, lengths), pace)).outcome).toEqual(expected);
          expect((await read(boundary, split(body, [1]), pace)).outcome).toEqual(expected);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('settles on any soup of boundary pieces, and keeps nothing of what it refuses', async () => {
    const disposition = 'Content-Disposition: form-data; name="a"';
    const scraps = fc.constantFrom(
      ...[
        '\r\n',
        '\r',
        '\n',
        '-',
        '--',
        '--b',
        '\r\n--b',
        '\r\n--b\r\n',
        '\r\n--b--',
        'b',
        ':',
        'text',
        '\r\n\r\n',
      ],
      ...[disposition, `\r\n${disposition}\r\n\r\n`, `\r\n${disposition}; filename="f"\r\n\r\nfile`],
    );
    const soups = fc.array(fc.oneof(scraps, fc.string({ maxLength: 3 })), { maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(soups, chunkLengths, async (soup, lengths) => {
        const { outcome, sink } = await read('b', split(Buffer.from(`--b${soup.join('')}`), lengths));
        if (outcome instanceof Refusal) {
          expect(outcome.kind).toBe('invalid');
          expect(sink.discarded.length + sink.failed.length).toBe(sink.begun.length);
        } else {
          expect(outcome).toEqual({ json: expect.any(String), files: expect.any(Array) });
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('settles on random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), chunkLengths, async (bytes, lengths) => {
        const { outcome } = await read('b', split(Buffer.from(bytes), lengths));
        expect(outcome).toBeInstanceOf(Refusal);
      }),
    );
  });
});
