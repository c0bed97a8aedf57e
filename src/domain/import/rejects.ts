/** The rows that were not imported, as a CSV that is safe to open in a spreadsheet. */
import { stringify } from 'csv-stringify/sync';
import { safeCell } from '../submissions/spreadsheet-cell.js';
import type { RejectedRow } from './service.js';

const csvLine = (cells: readonly string[]): string =>
  stringify([cells.map(safeCell)], { quoted_string: true, record_delimiter: 'windows' });

/** `columns` null: JSON rows, each as one text. */
export const rejectsHeader = (columns: readonly string[] | null): string =>
  csvLine(['line', 'reason', ...(columns ?? ['row'])]);

export const rejectsLine = ({ line, reason, original }: RejectedRow): string =>
  csvLine([String(line), reason, ...original]);
