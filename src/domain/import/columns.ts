/** The columns of a file: what each one means, and whether they are enough to import the rows. */
import type { ImportSource } from '../../contract/import.js';
import { type DateOrder, impliedOrder } from './dates.js';
import { ImportRejected } from './rejected.js';
import { isUnreadable, type ReadRow } from './rows.js';
import { type Mapping, type Meaning, type NamedColumn, type Use, usesOf } from './sources.js';

const maxReported = 1_000;
const maxNamed = 50;
/** For JSON rows that all have different fields. */
const maxShapes = 1_000;

export interface ImportedColumn {
  readonly name: string;
  readonly meaning: Meaning;
  readonly field: string;
}

export type Columns = readonly NamedColumn[];

export class ImportColumns {
  readonly #uses = new Map<string, readonly Use[]>();
  readonly #reported = new Set<string>();

  constructor(
    private readonly from: ImportSource | null,
    private readonly mapping: Mapping,
    private readonly onFound: (column: ImportedColumn) => void,
  ) {}

  /** Cached by shape: rows of one shape have the same columns, and a CSV has one shape. */
  usesOf(columns: Columns): readonly Use[] {
    const shape = columns.map(keyOf).join('\0');
    const known = this.#uses.get(shape);
    if (known) return known;
    const uses = usesOf(columns, this.from, this.mapping);
    if (this.#uses.size >= maxShapes) this.#uses.clear();
    this.#uses.set(shape, uses);
    for (const [index, column] of columns.entries()) {
      const use = uses[index];
      const key = keyOf(column);
      if (!use || this.#reported.has(key) || this.#reported.size >= maxReported) continue;
      this.#reported.add(key);
      this.onFound({ name: column.name, ...use });
    }
    return uses;
  }

  hasDate(columns: Columns): boolean {
    return this.usesOf(columns).some(({ meaning }) => meaning === 'date');
  }

  /** Throws if the mapping names a column that the file does not have. */
  requireMapped(header: Columns): void {
    const names = new Set(header.map(({ name }) => name));
    for (const column of this.mapping.keys()) {
      if (!names.has(column)) {
        throw new ImportRejected(`There is no column "${column}". The columns are: ${listed(header)}.`);
      }
    }
  }

  /** Returns null when the dates do not show the order. If a file has both orders, only unambiguous dates are read. */
  orderIn(sample: readonly ReadRow[]): DateOrder | null {
    const orders = new Set<DateOrder>();
    for (const row of sample) {
      if (isUnreadable(row)) continue;
      const at = this.usesOf(row.cells).findIndex(({ meaning }) => meaning === 'date');
      const order = impliedOrder(row.cells[at]?.text ?? '');
      if (order !== null) orders.add(order);
    }
    const [only, ...others] = orders;
    return only !== undefined && others.length === 0 ? only : null;
  }
}

const keyOf = ({ name, isMeta }: NamedColumn): string => (isMeta ? `\u0001${name}` : name);

const listed = (columns: Columns): string =>
  [...new Set(columns.map(({ name }) => name))].slice(0, maxNamed).join(', ');

export const noDate = (columns: Columns): string =>
  `No column holds the date. Name the one that does, or give a default date. The columns are: ${listed(columns)}.`;
