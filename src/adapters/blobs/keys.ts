/** Checks for every blob store: rejects keys that could escape its folder, and invalid ranges. */
import type { ByteRange } from '../../ports/blobs.js';

const keyShape = /^[a-z0-9-]{8,80}$/;

export const isKey = (text: string): boolean => keyShape.test(text);

export function requireKey(key: string): void {
  if (!isKey(key)) throw new TypeError('Not a blob key');
}

export function requireRange({ start, end }: ByteRange): void {
  const sound = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start;
  if (!sound) throw new RangeError('Not a byte range');
}
