/** What the readers of all formats yield, and the limits that hold for all of them. */
export const maxColumns = 1_000;
export const maxRowBytes = 1024 * 1024;
/** A function: formatting a number loads 5 MB of tables, which a server that imports nothing can do without. */
export const tooManyFields = (): string => `has more than ${maxColumns.toLocaleString('en')} fields`;

export interface Cell {
  readonly name: string;
  /** The value as text. */
  readonly text: string;
  /** The value as it was written, of a JSON row; null: it is a text. */
  readonly json: string | null;
  /** Beside the fields: what the service itself recorded. Only JSON tells them apart. */
  readonly isMeta: boolean;
}

export interface SourceRow {
  readonly line: number;
  readonly cells: readonly Cell[];
  /** The object that holds all the fields, as it was written, where a JSON row has one. */
  readonly fieldsText: string | null;
  /** For the list of rejected rows. */
  readonly original: readonly string[];
}

export interface UnreadableRow {
  readonly line: number;
  readonly reason: string;
  readonly original: readonly string[];
}

export type ReadRow = SourceRow | UnreadableRow;
export const isUnreadable = (row: ReadRow): row is UnreadableRow => 'reason' in row;

export interface Rows {
  /** Of a CSV, from its header; null: rows name their own. */
  readonly columns: readonly string[] | null;
  readonly rows: AsyncIterable<ReadRow>;
}
