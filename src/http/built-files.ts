/** Helpers that serve the files of the browser builds. */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import type { Coding } from './content-coding.js';

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  woff2: 'font/woff2',
};

/** Returns undefined for a file that is not meant for browsers. */
export const typeOfFile = (name: string): string | undefined => types[name.split('.').at(-1) ?? ''];

/** For files whose name contains the hash of their content. */
export const keptForever = 'public, max-age=31536000, immutable';

/** Reads a file that is stored as Brotli, the smallest of the three codings: storing all of them made the package 0.9 MB larger. */
export async function readCompressed(file: URL, coding: Coding | null): Promise<Buffer> {
  const stored = await readFile(new URL(`${file.href}.br`));
  if (coding === 'br') return stored;
  const plain = await promisify(brotliDecompress)(stored);
  return coding === null ? plain : promisify(gzip)(plain, { level: 9 });
}
