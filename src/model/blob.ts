/** A blob as its row describes it: what must come out when its bytes are read. */
export interface DescribedBlob {
  /** Of the file, or of the stored variant's blob: what people see when it is missing. */
  readonly id: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}
