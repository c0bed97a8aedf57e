/** What kind of file it is, by its bytes. The client's word counts only where the bytes say nothing. */
import { fileTypeFromBuffer } from 'file-type';

/** As much as the longest signature needs. */
export const sniffBytes = 4100;

export const unknownType = 'application/octet-stream';

const typeShape = /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,80}$/;

/** Types whose bytes always begin with a signature: claimed without it, the claim is false. */
const alwaysSigned =
  /^(image\/(?!svg)|video\/|audio\/|application\/(pdf|zip|gzip|x-7z-compressed|vnd\.rar)$)/;

export async function sniffType(head: Uint8Array, declaredType: string): Promise<string> {
  const found = await fileTypeFromBuffer(head);
  // An animated PNG is a PNG to all who do not know better, and they show its first picture.
  if (found) return found.mime === 'image/apng' ? 'image/png' : found.mime;
  const declared = declaredType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!typeShape.test(declared) || alwaysSigned.test(declared)) return unknownType;
  return declared;
}
