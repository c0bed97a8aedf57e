/** What every reader asks about UTF-8, answered without work where the answer is plain. */
import { isAscii, isUtf8 } from 'node:buffer';

/** The text, or undefined when the bytes are not UTF-8: a replaced character would be data lost in silence. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

const legacy = new TextDecoder('windows-1252');

/**
 * Text that a browser encoded. A page that declares no charset makes its forms send windows-1252; such bytes are hardly
 * ever valid UTF-8 by accident, and every byte is a character of that encoding, so nothing is lost or refused.
 */
export const decodeFormText = (bytes: Buffer): string => decodeUtf8(bytes) ?? legacy.decode(bytes);

export function exceedsUtf8Bytes(text: string, maxBytes: number): boolean {
  // No UTF-16 unit takes more than three bytes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
