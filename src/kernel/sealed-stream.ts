/**
 * Encrypts a stream of any length with one key (AES-256-GCM), in pieces of 64 KiB. Each stream has its own key, derived from
 * the given one and random bytes at its start. The nonce of a piece is its number and whether it is the last: pieces that
 * were changed, left out, repeated, reordered or cut off at the end cannot be opened.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export const sealedMark = Buffer.from('INLETENC1\n', 'latin1');
export const sealedKeyBytes = 32;

const saltBytes = 32;
const pieceBytes = 64 * 1024;
const tagBytes = 16;

/** The key is wrong, or the bytes are not the ones that were written. */
export class BrokenSeal extends Error {
  override readonly name = 'BrokenSeal';
}

const streamKey = (key: Buffer, salt: Buffer): Buffer => {
  if (key.length !== sealedKeyBytes) throw new TypeError(`The key must have ${sealedKeyBytes} bytes`);
  return Buffer.from(hkdfSync('sha256', key, salt, 'inlet sealed stream', 32));
};

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(number), 3);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Yields pieces of `size` bytes. There is always a last piece; it can be shorter or empty. */
async function* pieces(
  source: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    waiting.push(chunk);
    length += chunk.length;
    if (length <= size) continue;
    const bytes = Buffer.concat(waiting);
    let at = 0;
    // A full piece waits for a byte after it: without one, it is the last piece.
    for (; length - at > size; at += size) yield { bytes: bytes.subarray(at, at + size), isLast: false };
    waiting = [bytes.subarray(at)];
    length -= at;
  }
  yield { bytes: Buffer.concat(waiting), isLast: true };
}

export async function* sealStream(
  key: Buffer,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(saltBytes);
  const derived = streamKey(key, salt);
  yield Buffer.concat([sealedMark, salt]);
  let number = 0;
  for await (const { bytes, isLast } of pieces(source, pieceBytes)) {
    const cipher = createCipheriv('aes-256-gcm', derived, nonceOf(number, isLast));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    number += 1;
  }
}

function openPiece(derived: Buffer, piece: Buffer, nonce: Buffer): Buffer {
  if (piece.length < tagBytes) throw new BrokenSeal('its end is missing');
  const decipher = createDecipheriv('aes-256-gcm', derived, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(piece.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(piece.subarray(0, -tagBytes)), decipher.final()]);
  } catch {
    throw new BrokenSeal('it was encrypted with another key, or is damaged or cut off');
  }
}

/** Yields only bytes that have been authenticated. */
export async function* openSealedStream(
  key: Buffer,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  const headBytes = sealedMark.length + saltBytes;
  while (head.length < headBytes) {
    const { done, value } = await chunks.next();
    if (done) throw new BrokenSeal('its beginning is missing');
    head = Buffer.concat([head, value]);
  }
  if (!head.subarray(0, sealedMark.length).equals(sealedMark)) throw new BrokenSeal('it is not encrypted');
  const derived = streamKey(key, head.subarray(sealedMark.length, headBytes));
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    yield head.subarray(headBytes);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  let number = 0;
  for await (const { bytes, isLast } of pieces(rest(), pieceBytes + tagBytes)) {
    yield openPiece(derived, bytes, nonceOf(number, isLast));
    number += 1;
  }
}
