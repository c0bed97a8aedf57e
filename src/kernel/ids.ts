/** Identifiers: UUID v7 for everything that is stored, short random ids for what users copy. */
import { randomBytes } from 'node:crypto';

// Drawn for 512 ids at once: one system call per id took 5 % of the submission path.
let pool = '';
let used = 0;

/** 48 random bits. */
function randomHex(): string {
  if (used === pool.length) {
    pool = randomBytes(6 * 512).toString('hex');
    used = 0;
  }
  used += 12;
  return pool.slice(used - 12, used);
}

let lastMs = -1;
let time = '';
/** Six hexadecimal digits that count the ids of one millisecond, with room for four million. */
let sequence = 0;

/**
 * A UUID v7 whose time part is `atMs`: ordering by id is ordering by that time. Ids that this process creates
 * within one millisecond are in order of creation (unless the clock goes back and forth in between).
 * Implemented here because an id from the `uuid` package took 3 % of the submission path.
 */
export function newId(atMs: number): string {
  if (atMs === lastMs) {
    sequence += 1;
  } else {
    const digits = atMs.toString(16).padStart(12, '0');
    time = `${digits.slice(0, 8)}-${digits.slice(8)}`;
    lastMs = atMs;
    sequence = 0x800000 + (Number.parseInt(randomHex().slice(0, 6), 16) & 0x3fffff);
  }
  const number = sequence.toString(16);
  // 7 is the version, 8 the variant.
  return `${time}-7${number.slice(0, 3)}-8${number.slice(3)}-${randomHex()}`;
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids are stored in lower case. Any other spelling is a different, unknown id. */
export const isUuid = (text: string): boolean => uuidShape.test(text);

/** The smallest id that `newId` can create in this millisecond: the bound of a time range over ids. */
export function lowestIdAt(atMs: number): string {
  const hex = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0').slice(-12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

// No vowels and no look-alikes: an id does not spell a word and is not misread.
const shortAlphabet = '23456789bcdfghjkmnpqrstvwxz';

/** A random id of `length` characters from 27, so 12 of them have 57 bits. */
export function shortId(length: number): string {
  let id = '';
  while (id.length < length) {
    for (const byte of randomBytes(16)) {
      // 243 = 9 * 27: bytes above it would favour the first letters.
      if (byte < 243 && id.length < length) id += shortAlphabet.charAt(byte % 27);
    }
  }
  return id;
}
