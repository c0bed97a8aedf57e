/** Packs a backup folder into one stream, encrypted if there is a key, and unpacks it again. */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import {
  BrokenSeal,
  openSealedStream,
  sealedKeyBytes,
  sealedMark,
  sealStream,
} from '../kernel/sealed-stream.js';
import { BrokenArchive, readTar, type TarFile, writeTar } from '../kernel/tar.js';
import { StoreUnavailable } from '../ports/store.js';

async function* filesOf(folder: string): AsyncGenerator<TarFile> {
  const items = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const item of items) {
    if (!item.isFile()) continue;
    const path = join(item.parentPath, item.name);
    const name = relative(folder, path).split(sep).join('/');
    const content = createReadStream(path, { highWaterMark: 1024 * 1024 });
    yield { name, sizeBytes: (await stat(path)).size, content };
  }
}

export function packFolder(folder: string, key: Buffer | null): AsyncIterable<Uint8Array> {
  const packed = writeTar(filesOf(folder));
  return key === null ? packed : sealStream(key, packed);
}

/** Unpacks the archive into the folder, which must be empty. */
export async function unpackInto(
  folder: string,
  source: AsyncIterable<Uint8Array>,
  key: Buffer | null,
): Promise<void> {
  try {
    for await (const { name, content } of readTar(await opened(source, key))) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(path, 'wx', 0o600);
      try {
        for await (const chunk of content) await file.writeFile(chunk);
      } finally {
        await file.close();
      }
    }
  } catch (error) {
    if (!(error instanceof BrokenArchive || error instanceof BrokenSeal)) throw error;
    throw new StoreUnavailable(`The backup cannot be read: ${error.message}. Try an older one.`);
  }
}

async function opened(
  source: AsyncIterable<Uint8Array>,
  key: Buffer | null,
): Promise<AsyncIterable<Uint8Array>> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < sealedMark.length) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  const isSealed = head.subarray(0, sealedMark.length).equals(sealedMark);
  if (!isSealed) return whole();
  if (key === null) {
    throw new StoreUnavailable('The backup is encrypted. Name the file with its key: --key FILE');
  }
  return openSealedStream(key, whole());
}

/** 32 raw bytes, or 64 hexadecimal digits. */
export async function readKeyFile(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  const text = bytes.toString('latin1').trim();
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : bytes;
  if (key.length === sealedKeyBytes) return key;
  throw new StoreUnavailable(
    `${path} holds no key: 32 bytes, or 64 hexadecimal digits. Make one: openssl rand -hex 32`,
  );
}
