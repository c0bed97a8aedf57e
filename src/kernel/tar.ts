/**
 * Tar archives as streams: regular files only, names of up to 100 ASCII characters, files of any size. Any tar program can
 * read these archives, but only these archives can be read here. Memory does not grow with the size of a file.
 */

export interface TarFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

const blockBytes = 512;
const nameShape = /^[\w.-]+(?:\/[\w.-]+)*$/;
/** The limit of eleven octal digits. Larger sizes are written in binary, as in GNU tar. */
const mostInOctal = 8 ** 11;

const paddingOf = (sizeBytes: number): number => (blockBytes - (sizeBytes % blockBytes)) % blockBytes;

/** Accepts only names that stay inside the target folder. */
export const isTarName = (name: string): boolean =>
  name.length <= 100 && nameShape.test(name) && !name.split('/').some((part) => /^\.+$/.test(part));

const checksumOf = (header: Buffer): number => {
  let sum = 0;
  // The checksum field itself counts as spaces.
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 32 : byte;
  return sum;
};

function headerOf({ name, sizeBytes }: Pick<TarFile, 'name' | 'sizeBytes'>): Buffer {
  if (!isTarName(name)) throw new TypeError(`Not a name for an archive: ${name}`);
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0, 'latin1');
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  if (sizeBytes < mostInOctal) header.write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(sizeBytes), 128);
  }
  header.write('00000000000\0', 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

export async function* writeTar(
  files: AsyncIterable<TarFile> | Iterable<TarFile>,
): AsyncGenerator<Uint8Array> {
  for await (const file of files) {
    yield headerOf(file);
    let written = 0;
    for await (const chunk of file.content) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== file.sizeBytes) throw new Error(`${file.name} changed while it was archived`);
    yield Buffer.alloc(paddingOf(written));
  }
  yield Buffer.alloc(2 * blockBytes);
}

export class BrokenArchive extends Error {
  override readonly name = 'BrokenArchive';
}

function fileOf(header: Buffer): Pick<TarFile, 'name' | 'sizeBytes'> {
  const text = (from: number, to: number): string =>
    header.toString('latin1', from, to).replace(/[\0 ].*$/s, '');
  if (Number.parseInt(text(148, 156), 8) !== checksumOf(header))
    throw new BrokenArchive('a header is damaged');
  const name = text(0, 100);
  const sizeBytes =
    header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 136), 8);
  const isOurs = text(156, 157) === '0' && isTarName(name) && Number.isSafeInteger(sizeBytes);
  if (!isOurs) throw new BrokenArchive('it holds something that no backup has');
  return { name, sizeBytes };
}

/** Reads bytes by count from chunks of any size. */
class Chunks {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns at most `most` bytes, or null at the end. */
  async some(most: number): Promise<Uint8Array | null> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next();
      if (done) return null;
      this.#rest = value;
    }
    const taken = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async *exactly(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      const chunk = await this.some(left);
      if (chunk === null) throw new BrokenArchive('its end is missing');
      left -= chunk.length;
      yield chunk;
    }
  }

  async all(count: number): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.exactly(count)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

/** The content of a file must be read before the next file is requested. Ends only at the archive's own end. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const chunks = new Chunks(source);
  for (;;) {
    const header = await chunks.all(blockBytes);
    if (header.every((byte) => byte === 0)) {
      const end = await chunks.all(blockBytes);
      if (!end.every((byte) => byte === 0)) throw new BrokenArchive('its end is damaged');
      // In an encrypted archive, only reading the last piece proves that nothing was cut off.
      if ((await chunks.some(1)) !== null) throw new BrokenArchive('there is more behind its end');
      return;
    }
    const { name, sizeBytes } = fileOf(header);
    yield { name, sizeBytes, content: chunks.exactly(sizeBytes) };
    await chunks.all(paddingOf(sizeBytes));
  }
}
