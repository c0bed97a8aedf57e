/** What went wrong at the bucket, in the words of the port; and whether it is worth asking again at once. */
import { BlobsFull, BlobsUnavailable } from '../../ports/blobs.js';

/** Ceph says it with 403, others with 507. */
const fullNames = new Set([
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
  'InsufficientCapacity',
]);

/** Refusals below 500 that the next attempt may well not meet: damage on the way, a clock that the client sets right. */
const passingNames = new Set([
  'BadDigest',
  'RequestTimeTooSkewed',
  'RequestTimeout',
  'SlowDown',
  'XAmzContentSHA256Mismatch',
]);

interface Reported {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  /** null: there was no response. */
  readonly status: number | null;
}

function reportedBy(error: unknown): Reported {
  if (!(error instanceof Error)) return { name: '', message: String(error), code: null, status: null };
  const { code, $metadata } = error as Error & {
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  return {
    name: error.name,
    message: error.message,
    code: typeof code === 'string' ? code : null,
    status: $metadata?.httpStatusCode ?? null,
  };
}

/** HEAD responses carry no name, only the status. */
export const isAbsent = (error: unknown): boolean => {
  const { name, status } = reportedBy(error);
  return status === 404 && (name === 'NoSuchKey' || name === 'NotFound');
};

export const isUploadAbsent = (error: unknown): boolean => reportedBy(error).name === 'NoSuchUpload';

/** Of a write that must not replace anything: something is there, or somebody else writes it now. */
export const isTaken = (error: unknown): boolean => {
  const { status } = reportedBy(error);
  return status === 412 || status === 409;
};

/** Not every server knows conditional writes. */
export const isConditionUnknown = (error: unknown): boolean => {
  const { status, name } = reportedBy(error);
  return status === 501 || name === 'NotImplemented' || name === 'InvalidArgument';
};

export const isPastTheEnd = (error: unknown): boolean => reportedBy(error).status === 416;

/** Without a response nobody knows whether it was done. */
export const isRefusal = (error: unknown): boolean => {
  const { status } = reportedBy(error);
  return status !== null && status >= 400 && status < 500;
};

export function isWorthAnotherTry(error: unknown): boolean {
  const { name, status } = reportedBy(error);
  // Keys that are not to be found now are not to be found in a moment either.
  if (name === 'AbortError' || name === 'CredentialsProviderError') return false;
  return status === null || passingNames.has(name) || status === 429 || (status >= 500 && status !== 507);
}

export function asBlobFault(error: unknown, what: string): BlobsFull | BlobsUnavailable {
  if (error instanceof BlobsFull || error instanceof BlobsUnavailable) return error;
  const { name, message, code, status } = reportedBy(error);
  if (status === 507 || fullNames.has(name)) {
    return new BlobsFull(`The bucket takes no more bytes (${what}: ${status} ${name})`, { cause: error });
  }
  if (name === 'CredentialsProviderError') {
    return new BlobsUnavailable(
      'No keys for the bucket were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      { cause: error },
    );
  }
  // The client's own word for an answer that it could not read any message from.
  const detail = message === 'UnknownError' ? '' : `, ${message}`;
  const reason =
    status === null ? `gave no answer: ${code ?? message}` : `refused: ${status} ${name}${detail}`;
  return new BlobsUnavailable(`The bucket ${reason} (${what})`, { cause: error });
}
