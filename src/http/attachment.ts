/** How visitors' files are served: as downloads (PDFs also as previews), never as something that a browser would execute. */

/** The only types declared to browsers; everything else becomes application/octet-stream. */
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

/** Both forms of RFC 6266: a plain one for old clients, and an encoded one that is exact. */
function disposition(filename: string, kind: 'attachment' | 'inline' = 'attachment'): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

export interface Attachment {
  readonly filename: string;
  readonly mimeType: string;
  /** Images that we encoded may be shown on pages of other sites; what a visitor uploaded may not. */
  readonly isOurs: boolean;
}

/**
 * Headers that a blob store sends when it serves the bytes itself. It cannot send the other headers below, so these two must be
 * enough: a download, of a type that no browser executes, from an origin without sessions.
 */
export const attachmentTerms = ({ filename, mimeType }: Omit<Attachment, 'isOurs'>) => ({
  contentType: namedTypes.has(mimeType) ? mimeType : 'application/octet-stream',
  contentDisposition: disposition(filename),
});

export const attachmentHeaders = ({ isOurs, ...file }: Attachment): Record<string, string> => ({
  'content-type': attachmentTerms(file).contentType,
  'content-disposition': attachmentTerms(file).contentDisposition,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': isOurs ? 'cross-origin' : 'same-origin',
  'cache-control': 'private, no-store',
});

/**
 * For the only type that is shown in a frame of the dashboard, by the browser's own viewer. Whatever the bytes are, a browser
 * treats them as a PDF and gives them neither scripts nor our origin.
 */
export const pdfPreviewHeaders = ({
  isOurs,
  filename,
}: Omit<Attachment, 'mimeType'>): Record<string, string> => ({
  ...attachmentHeaders({ isOurs, filename, mimeType: 'application/pdf' }),
  'content-disposition': disposition(filename, 'inline'),
  'content-security-policy': "default-src 'none'; frame-ancestors 'self'; sandbox",
});
