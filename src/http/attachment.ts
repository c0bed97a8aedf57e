/** How a stranger's bytes are handed out: always as a download, never as something that a browser would run. */

/** The only types that are named to a browser; everything else is octets. */
const namedTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'application/pdf',
  'text/plain',
  'video/mp4',
  'audio/mpeg',
  'application/zip',
]);

/** Both spellings of RFC 6266: a plain one for old clients, an encoded one that is exact. */
function disposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

export interface Attachment {
  readonly filename: string;
  readonly mimeType: string;
  /** Pictures that we encoded may be shown on other sites' pages; what a stranger wrote may not. */
  readonly isOurs: boolean;
}

export const attachmentHeaders = ({ filename, mimeType, isOurs }: Attachment): Record<string, string> => ({
  'content-type': namedTypes.has(mimeType) ? mimeType : 'application/octet-stream',
  'content-disposition': disposition(filename),
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': isOurs ? 'cross-origin' : 'same-origin',
  'cache-control': 'private, no-store',
});
