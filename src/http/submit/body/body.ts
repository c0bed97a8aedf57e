/** What a parsed submission body consists of, and where the bytes of its files go while it is read. */
import type { Readable } from 'node:stream';
import type { Refusal } from '../../../model/errors.js';
import type { SubmittedFields } from '../../../model/fields.js';
import type { BodyProgress } from './body-pump.js';

export interface UploadedFile {
  /** The name of the form field, without a trailing `[]`. */
  readonly field: string;
  /** Safe for display and for a download header (see file-name.ts); never a path. */
  readonly filename: string;
  /** The type that the client declares, as a bare lower-case media type; `application/octet-stream` if it declares none. */
  readonly declaredType: string;
  /** A buffer of the whole content if it is small, valid until it is staged; else a stream. */
  readonly content: Buffer | Readable;
}

export interface FileSink<T> {
  /**
   * Consumes the whole content, a stream at its own pace; rejects if the stream errors. Called for one file at a time. It may reject with
   * a Refusal (no space, not in the plan): the body is then rejected with it.
   */
  stage(file: UploadedFile): Promise<T>;
  /** Removes what was staged: the body was rejected, or the client disconnected. */
  discard(staged: readonly T[]): Promise<void>;
}

/** Accounts for bytes that are about to be buffered in memory. Returns a Refusal when there is no room for them. */
export type Charge = (bytes: number) => Refusal | undefined;

export interface ReadBody<T> {
  readonly fields: SubmittedFields;
  /** In the order of the body. */
  readonly files: readonly T[];
}

/** A body whose first file has arrived, as seen by the pool that decides whether it is read on. */
export interface UploadingBody {
  /** Returns null when nothing more is expected from the client. */
  progress(): BodyProgress | null;
  /** Ends it: its place goes to another upload. */
  evict(): void;
}

/** Requests an upload place. Returns a promise while the body waits for one, and false when there is none. */
export type EnterUploads = (body: UploadingBody) => boolean | Promise<boolean>;
