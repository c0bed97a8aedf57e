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
  /** The name under which the blob store keeps the bytes. */
  readonly blobKey: string;
  readonly uploadedAt: number;
  /** Set: the file is gone and only this tombstone answers, with 410. */
  readonly deletedAt: number | null;
}

/** As people and destinations see it. */
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

/** Pure: the category follows from the type that the bytes gave. */
export function categoryOf(mimeType: string): FileCategory {
  if (mimeType === 'image/svg+xml') return 'document'; // never an image to us: it can carry script
  if (mimeType.startsWith('image/')) return 'image';
  if (mimeType.startsWith('video/')) return 'video';
  if (mimeType.startsWith('text/') || documentTypes.has(mimeType)) return 'document';
  if (mimeType.startsWith('application/vnd.openxmlformats-officedocument.')) return 'document';
  if (mimeType.startsWith('application/vnd.oasis.opendocument.')) return 'document';
  return 'other';
}
