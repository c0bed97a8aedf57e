export type FileCategory = 'image' | 'document' | 'video' | 'other';

export interface StoredFile {
  readonly id: string;
  readonly accountId: string;
  readonly projectId: string;
  readonly formId: string;
  readonly submissionId: string;
  readonly fieldName: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly category: FileCategory;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The key of the bytes in the blob store. */
  readonly blobKey: string;
  readonly uploadedAt: number;
  /** If set, the file is deleted and only this tombstone remains. Requests get 410. */
  readonly deletedAt: number | null;
}

/** The file as users and destinations see it. */
export const shownFile = ({ id, fieldName, filename, mimeType, sizeBytes }: StoredFile) => ({
  id,
  field: fieldName,
  filename,
  type: mimeType,
  size: sizeBytes,
});

const documentTypes = new Set([
  'application/pdf',
  'application/rtf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/epub+zip',
  'application/json',
  'application/xml',
  'application/x-cfb',
]);

/** The category depends only on the type that was detected from the bytes. */
export function categoryOf(mimeType: string): FileCategory {
  if (mimeType === 'image/svg+xml') return 'document'; // never treated as an image: it can contain scripts
  if (mimeType.startsWith('image/')) return 'image';
  if (mimeType.startsWith('video/')) return 'video';
  if (mimeType.startsWith('text/') || documentTypes.has(mimeType)) return 'document';
  if (mimeType.startsWith('application/vnd.openxmlformats-officedocument.')) return 'document';
  if (mimeType.startsWith('application/vnd.oasis.opendocument.')) return 'document';
  return 'other';
}
