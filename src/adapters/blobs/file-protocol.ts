/** What the request thread and the thread that writes small files say to each other. */

export interface FileThreadOptions {
  /** The directory of the blob store. */
  readonly directory: string;
}

export interface FileRequest {
  readonly id: number;
  readonly key: string;
  /** In memory that both threads see; its first `length` bytes are the file. */
  readonly block: Uint8Array;
  readonly length: number;
  readonly modifiedAt: number;
}

export interface FileAnswer {
  readonly id: number;
  /** null: the file is in its place and synced. */
  readonly fault: { readonly message: string; readonly code: string | undefined } | null;
}
