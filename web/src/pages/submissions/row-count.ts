/** Counts the rows of an export while it arrives in chunks. Line breaks inside CSV quotes do not count. */
export interface RowCount {
  add(piece: Uint8Array): void;
  /** Without the CSV header. */
  readonly rows: number;
}

const quote = 0x22;
const lineFeed = 0x0a;

export function createRowCount(format: 'csv' | 'jsonl'): RowCount {
  let lines = 0;
  let isQuoted = false;
  return {
    add(piece) {
      for (const byte of piece) {
        if (byte === quote && format === 'csv') isQuoted = !isQuoted;
        else if (byte === lineFeed && !isQuoted) lines += 1;
      }
    },
    get rows() {
      return format === 'csv' ? Math.max(lines - 1, 0) : lines;
    },
  };
}
