/** What every reader asks about UTF-8, answered without work where the answer is plain. */
import { isAscii, isUtf8 } from 'node:buffer';

/** The text, or undefined when the bytes are not UTF-8: a replaced character would be data lost in silence. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** Where windows-1252 differs from Latin-1: bytes 0x80 to 0x9f. Node 20 decodes it as Latin-1. */
const windowsLetters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const decodeWindows1252 = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (letter) => windowsLetters.charAt(letter.charCodeAt(0) - 0x80));

/**
 * Text that a browser encoded. A page that declares no charset makes its forms send windows-1252; such bytes are hardly
 * ever valid UTF-8 by accident, and every byte is a character of that encoding, so nothing is lost or refused.
 */
export const decodeFormText = (bytes: Buffer): string => decodeUtf8(bytes) ?? decodeWindows1252(bytes);

export function exceedsUtf8Bytes(text: string, maxBytes: number): boolean {
  // No UTF-16 unit takes more than three bytes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
