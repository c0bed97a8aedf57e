import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { BrokenSeal, openSealedStream, sealedMark, sealStream } from './sealed-stream.js';

const key = Buffer.alloc(32, 7);
const pieceBytes = 64 * 1024;
const sealedPiece = pieceBytes + 16;
const headBytes = sealedMark.length + 32;

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const sealed = (plain: Buffer): Promise<Buffer> => bytesOf(sealStream(key, chunked(plain, 10_007)));
const open = (bytes: Buffer, with_ = key): Promise<Buffer> =>
  bytesOf(openSealedStream(with_, chunked(bytes, 9_973)));

it('gives back the same bytes, whatever their number', async () => {
  for (const size of [0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes]) {
    const plain = randomBytes(size);
    const bytes = await sealed(plain);
    expect((await open(bytes)).equals(plain), `${size}`).toBe(true);
    expect((await bytesOf(openSealedStream(key, chunked(bytes, bytes.length)))).equals(plain)).toBe(true);
  }
});

it('never looks the same twice, and shows nothing of what is in it', async () => {
  const plain = Buffer.alloc(1_000, 'submission');
  const [one, other] = [await sealed(plain), await sealed(plain)];
  expect(one.subarray(headBytes).equals(other.subarray(headBytes))).toBe(false);
  expect(one.includes('submission')).toBe(false);
});

it('is refused with another key, and when a bit of it was changed', async () => {
  const bytes = await sealed(randomBytes(2 * pieceBytes));
  await expect(open(bytes, Buffer.alloc(32, 8))).rejects.toThrow(BrokenSeal);
  for (const at of [0, sealedMark.length, headBytes, headBytes + sealedPiece, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expect(open(changed), `${at}`).rejects.toThrow(BrokenSeal);
  }
});

it('is refused when pieces are missing, repeated or in another order, also at the end of a piece', async () => {
  const bytes = await sealed(randomBytes(3 * pieceBytes));
  const head = bytes.subarray(0, headBytes);
  const piece = (number: number): Buffer =>
    bytes.subarray(headBytes + number * sealedPiece, headBytes + (number + 1) * sealedPiece);
  const wrong: readonly (readonly number[])[] = [
    [],
    [0],
    [0, 1],
    [1, 2],
    [0, 2],
    [1, 0, 2],
    [0, 0, 1, 2],
    [0, 1, 2, 2],
  ];
  for (const order of wrong) {
    await expect(open(Buffer.concat([head, ...order.map(piece)])), order.join()).rejects.toThrow(BrokenSeal);
  }
  expect(await open(Buffer.concat([head, ...[0, 1, 2].map(piece)]))).toHaveLength(3 * pieceBytes);
  for (const length of [0, 5, headBytes, headBytes + 5, bytes.length - 1]) {
    await expect(open(bytes.subarray(0, length)), `${length}`).rejects.toThrow(BrokenSeal);
  }
});
