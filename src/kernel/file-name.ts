/**
 * The name under which an uploaded file is shown and downloaded. It is never used as a name on our disk, but it ends
 * up in mails, headers and on users' disks: it must be one harmless path segment that is displayed as it is.
 */

const maxBytes = 255;
const fallback = 'file';

// Line breaks, terminal escapes, and the marks that make `gpj.exe` read as `exe.jpg`.
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function safeFilename(claimed: string): string {
  const segment = claimed.slice(Math.max(claimed.lastIndexOf('/'), claimed.lastIndexOf('\\')) + 1);
  const name = segment.replace(unsafe, '').normalize('NFC').trim();
  if (name === '' || name === '.' || name === '..') return fallback;
  return shortened(name);
}

/** Cuts the stem and keeps the extension, which says what the file is. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot) : '';
  const extensionBytes = Buffer.byteLength(extension);
  // Anything longer is not an extension, just a dot in a long name.
  if (extension === '' || extensionBytes > 32) return cutToBytes(name, maxBytes);
  return cutToBytes(name.slice(0, dot), maxBytes - extensionBytes) + extension;
}

function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(limit, bytes.length);
  // 10xxxxxx continues a character: step back to its start.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end).trimEnd();
}
