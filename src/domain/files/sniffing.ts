/** Detects the type of a file from its bytes. The type that the client declares counts only where the bytes say nothing. */
import { fileTypeFromBuffer } from 'file-type';

/** Enough for the longest signature. */
export const sniffBytes = 4100;

export const unknownType = 'application/octet-stream';

const typeShape = /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,80}$/;

/** Types whose bytes always begin with a signature: without it, the declared type is false. */
const alwaysSigned =
  /^(image\/(?!svg)|video\/|audio\/|application\/(pdf|zip|gzip|x-7z-compressed|vnd\.rar)$)/;

export async function sniffType(head: Uint8Array, declaredType: string): Promise<string> {
  const found = await fileTypeFromBuffer(head);
  // Software that does not support animated PNG treats it as a PNG and shows the first frame.
  if (found) return found.mime === 'image/apng' ? 'image/png' : found.mime;
  const declared = declaredType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!typeShape.test(declared) || alwaysSigned.test(declared)) return unknownType;
  return declared;
}
