/** What a read submission body consists of, and where the bytes of its files go meanwhile. */
import type { Readable } from 'node:stream';
import type { Refusal } from '../../../model/errors.js';
import type { SubmittedFields } from '../../../model/fields.js';
import type { BodyProgress } from './body-pump.js';

export interface UploadedFile {
  /** The name of the form field, without a trailing `[]`. */
  readonly field: string;
  /** Fit for display and for a download header (see file-name.ts); never a path. */
  readonly filename: string;
  /** What the client says it is, as a bare lower-case media type; `application/octet-stream` if it says nothing. */
  readonly declaredType: string;
  /** All of it where it is little, lent until it is staged; else as it comes. */
  readonly content: Buffer | Readable;
}

export interface FileSink<T> {
  /**
   * Consumes the whole content, a stream at its own pace; rejects if the stream errors. Called one after the other.
   * It may reject with a Refusal (no space, no such plan): the body is then refused with it.
   */
  stage(file: UploadedFile): Promise<T>;
  /** Removes what was staged: the body was refused, or the client went away. */
  discard(staged: readonly T[]): Promise<void>;
}

/** Accounts for bytes that are about to be held in memory; a Refusal when there is no room for them. */
export type Charge = (bytes: number) => Refusal | undefined;

export interface ReadBody<T> {
  readonly fields: SubmittedFields;
  /** In the order of the body. */
  readonly files: readonly T[];
}

/** A body whose first file has come, as seen by those who decide whether it is read on. */
export interface UploadingBody {
  /** null: nothing more is expected from the client. */
  progress(): BodyProgress | null;
  /** Ends it: its place goes to somebody else. */
  evict(): void;
}

/** Asks for a place among the bodies with files that are read at once; a promise while it waits, false: there is none. */
export type EnterUploads = (body: UploadingBody) => boolean | Promise<boolean>;
