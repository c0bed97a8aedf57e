/** What the readers of all formats yield, and the limits that apply to all of them. */
export const maxColumns = 1_000;
export const maxRowBytes = 1024 * 1024;
/** A function, because formatting a number loads 5 MB of tables that a server without imports does not need. */
export const tooManyFields = (): string => `has more than ${maxColumns.toLocaleString('en')} fields`;

export interface Cell {
  readonly name: string;
  /** The value as text. */
  readonly text: string;
  /** The value as written in a JSON row. null: the value is a text. */
  readonly json: string | null;
  /** Not a field, but recorded by the service itself. Only JSON distinguishes them. */
  readonly isMeta: boolean;
}

export interface SourceRow {
  readonly line: number;
  readonly cells: readonly Cell[];
  /** The object with all the fields, as written, if a JSON row has one. */
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
  /** From the header of a CSV. null: rows name their own columns. */
  readonly columns: readonly string[] | null;
  readonly rows: AsyncIterable<ReadRow>;
}
