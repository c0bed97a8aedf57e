/** Identifiers: UUID v7 for everything that is stored, short random ids for what a person copies. */
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

// One system call for 512 ids instead of one each: `randomFillSync` per id was 5 % of the submission path.
const pool = new Uint8Array(16 * 512);
let poolUsed = pool.length;

function randomBytes16(): Uint8Array {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const bytes = pool.subarray(poolUsed, poolUsed + 16);
  poolUsed += 16;
  return bytes;
}

let lastMs = 0;
let sequence = 0;

/**
 * A UUID v7 whose time part is `atMs`: ordering by id is ordering by that time, and ids that this process makes
 * within one millisecond keep the order in which they were made (unless the clock goes back and forth meanwhile).
 */
export function newId(atMs: number): string {
  const random = randomBytes16();
  if (atMs === lastMs) {
    sequence += 1;
  } else {
    lastMs = atMs;
    // 31 random bits: room for two thousand million more ids in this millisecond before the order would break.
    sequence = new DataView(random.buffer, random.byteOffset).getUint32(6) >>> 1;
  }
  return v7({ msecs: atMs, seq: sequence, random });
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids are kept in lower case; another spelling is another, unknown id. */
export const isUuid = (text: string): boolean => uuidShape.test(text);

/** The smallest id that `newId` can make at this millisecond; the border of a time range over ids. */
export function lowestIdAt(atMs: number): string {
  const hex = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0').slice(-12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

// No vowels and no look-alikes: an id neither spells a word nor is misread aloud.
const shortAlphabet = '23456789bcdfghjkmnpqrstvwxz';

/** A random id of `length` characters; 27 letters, so 12 of them carry 57 bits. */
export function shortId(length: number): string {
  let id = '';
  while (id.length < length) {
    for (const byte of randomBytes16()) {
      // 243 = 9 * 27: bytes above it would favour the first letters.
      if (byte < 243 && id.length < length) id += shortAlphabet.charAt(byte % 27);
    }
  }
  return id;
}
