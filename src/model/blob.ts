/** A blob as described by its row: what its bytes must match when they are read. */
export interface DescribedBlob {
  /** Of the file, or of the stored variant's blob. Shown when the blob is missing. */
  readonly id: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}
