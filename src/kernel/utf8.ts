/** What every reader asks about UTF-8, answered without work where the answer is plain. */
import { isAscii, isUtf8 } from 'node:buffer';

/** The text, or undefined when the bytes are not UTF-8: a replaced character would be data lost in silence. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Where windows-1252 differs from Latin-1: bytes 0x80 to 0x9f. Node 20 decodes it as Latin-1. */
const windowsLetters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const windowsUnits = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? windowsLetters.charCodeAt(byte - 0x80) : byte,
);

/** Unit by unit: replacing letters in a text took a mebibyte of them 60 ms. */
function decodeWindows1252(bytes: Buffer): string {
  const units = Buffer.allocUnsafe(2 * bytes.length);
  for (let at = 0; at < bytes.length; at += 1)
    units.writeUInt16LE(windowsUnits[bytes[at] as number] as number, 2 * at);
  return units.toString('utf16le');
}

/**
 * Text that a browser encoded. A page that declares no charset makes its forms send windows-1252; such bytes are hardly
 * ever valid UTF-8 by accident, and every byte is a character of that encoding, so nothing is lost or refused.
 */
export const decodeFormText = (bytes: Buffer): string => decodeUtf8(bytes) ?? decodeWindows1252(bytes);

export function exceedsUtf8Bytes(text: string, maxBytes: number): boolean {
  // No UTF-16 unit takes more than three bytes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
