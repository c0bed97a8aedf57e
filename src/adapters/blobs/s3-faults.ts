/** Translates faults of the bucket into the port's errors, and decides whether an immediate retry makes sense. */
import { BlobsFull, BlobsUnavailable } from '../../ports/blobs.js';

/** Ceph reports a full bucket with 403, others with 507. */
const fullNames = new Set([
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
  'InsufficientCapacity',
]);

/** 4xx errors that may pass on the next attempt: bytes damaged in transit, clock skew that the client corrects. */
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
  /** Null when there was no response. */
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

/** A conditional write found an existing object, or another process is writing it right now. */
export const isTaken = (error: unknown): boolean => {
  const { status } = reportedBy(error);
  return status === 412 || status === 409;
};

/** Not every server supports conditional writes. */
export const isConditionUnknown = (error: unknown): boolean => {
  const { status, name } = reportedBy(error);
  return status === 501 || name === 'NotImplemented' || name === 'InvalidArgument';
};

export const isPastTheEnd = (error: unknown): boolean => reportedBy(error).status === 416;

/** Only a 4xx counts: without a response it is unknown whether the request was carried out. */
export const isRefusal = (error: unknown): boolean => {
  const { status } = reportedBy(error);
  return status !== null && status >= 400 && status < 500;
};

export function isWorthAnotherTry(error: unknown): boolean {
  const { name, status } = reportedBy(error);
  // Credentials that are missing now will be missing in a moment too.
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
  // The SDK's placeholder when it could not read a message from the response.
  const detail = message === 'UnknownError' ? '' : `, ${message}`;
  const reason =
    status === null ? `gave no answer: ${code ?? message}` : `refused: ${status} ${name}${detail}`;
  return new BlobsUnavailable(`The bucket ${reason} (${what})`, { cause: error });
}
