/** Passes UTF-8 bytes on, and throws on anything else: a replaced character would be silent data loss. */
import { ImportRejected } from './rejected.js';

const advice = 'Save it as UTF-8 (in Excel: "CSV UTF-8") and try again.';

export async function* checkedUtf8(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let isFirst = true;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (isFirst) refuseUtf16(bytes);
    isFirst = false;
    try {
      decoder.decode(bytes, { stream: true });
    } catch {
      throw notUtf8(line);
    }
    line += linesIn(bytes);
    yield bytes;
  }
  try {
    decoder.decode();
  } catch {
    throw notUtf8(line);
  }
}

const notUtf8 = (line: number): ImportRejected =>
  new ImportRejected(`The file is not UTF-8 text (from about line ${line} on). ${advice}`);

function refuseUtf16(bytes: Buffer): void {
  const [first, second] = bytes;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (hasMark || bytes.subarray(0, 64).includes(0)) {
    throw new ImportRejected(`The file is UTF-16 or binary, not UTF-8 text. ${advice}`);
  }
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}
