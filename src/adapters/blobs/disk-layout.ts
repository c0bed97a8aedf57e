/** A blob's path on disk: `<directory>/<last two characters of the key>/<key>`. It is written in `<directory>/.staging` first. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

export const stagingName = '.staging';
const otherName = 'other';
export const fanOut = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).concat(
  otherName,
);

export interface BlobPlace {
  readonly folder: string;
  readonly target: string;
}

export function placeOf(root: string, key: string): BlobPlace {
  const ending = key.slice(-2);
  const folder = join(root, /^[0-9a-f]{2}$/.test(ending) ? ending : otherName);
  return { folder, target: join(folder, key) };
}

/** Unique per attempt: the same key may be written twice at the same time. */
export const stagedPath = (root: string, key: string): string =>
  join(root, stagingName, `${key}.${randomUUID()}`);
