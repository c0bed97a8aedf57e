/**
 * Writes a ZIP as a stream, with constant memory. Nothing is compressed: the large entries are images and documents, which
 * are already compressed. Sizes follow each entry, because they are not known before it (APPNOTE.TXT 4.4.4, bit 3).
 */
import { crc32 } from 'node:zlib';

export interface ZipEntry {
  /** With `/` between folders. Each name can appear only once. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array | string>;
}

/** Offsets in this format have 32 bits. The caller leaves out what would not fit. */
export const maxZipBytes = 0xffff_0000;

const version = 20;
/** Sizes follow the entry; names are in UTF-8. */
const flags = 0x0808;
/** 1 January 1980: entry times have no meaning here. */
const time = 0x0021_0000;

interface Written {
  readonly name: Buffer;
  readonly crc: number;
  readonly size: number;
  readonly offset: number;
}

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(version, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt32LE(time, 10);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function descriptor({ crc, size }: Written): Buffer {
  const block = Buffer.alloc(16);
  block.writeUInt32LE(0x08074b50, 0);
  block.writeUInt32LE(crc, 4);
  block.writeUInt32LE(size, 8);
  block.writeUInt32LE(size, 12);
  return block;
}

function directoryEntry({ name, crc, size, offset }: Written): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(version, 4);
  entry.writeUInt16LE(version, 6);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt32LE(time, 12);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(size, 20);
  entry.writeUInt32LE(size, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt32LE(offset, 42);
  return Buffer.concat([entry, name]);
}

function directoryEnd(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let offset = 0;
  for await (const { name: text, content } of entries) {
    const name = Buffer.from(text, 'utf8');
    const header = localHeader(name);
    yield header;
    let crc = 0;
    let size = 0;
    for await (const chunk of content) {
      const bytes = Buffer.from(chunk);
      crc = crc32(bytes, crc);
      size += bytes.length;
      yield bytes;
    }
    const entry: Written = { name, crc, size, offset };
    yield descriptor(entry);
    written.push(entry);
    offset += header.length + size + 16;
  }
  const directory = Buffer.concat(written.map(directoryEntry));
  yield directory;
  yield directoryEnd(written.length, directory.length, offset);
}
