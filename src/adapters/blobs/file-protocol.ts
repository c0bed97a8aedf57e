/** Messages between the request thread and the thread that writes small files. */

export interface FileThreadOptions {
  /** The directory of the blob store. */
  readonly directory: string;
}

export interface FileRequest {
  readonly id: number;
  readonly key: string;
  /** Shared memory. Its first `length` bytes are the file. */
  readonly block: Uint8Array;
  readonly length: number;
  readonly modifiedAt: number;
}

export interface FileAnswer {
  readonly id: number;
  /** Null when the file is in place and synced. */
  readonly fault: { readonly message: string; readonly code: string | undefined } | null;
}
