/** Numbers by day, as charts and tables show them. Days are those of the reader's time zone, written `2026-11-15`. Pure. */

export type DayRow = { readonly day: string } & Readonly<Record<string, number | string>>;

/** What a chart shows: the name of the number in a row, its word, and its colour. */
export interface Series {
  readonly name: string;
  readonly label: string;
  readonly color: string;
}

export const numberOf = (row: DayRow, name: string): number => Number(row[name] ?? 0);

export const totalOf = (rows: readonly DayRow[], name: string): number =>
  rows.reduce((sum, row) => sum + numberOf(row, name), 0);

/** A chart of fewer bars looks broken. */
const fewestDays = 7;

export const hasNumber = (row: DayRow): boolean =>
  Object.values(row).some((value) => typeof value === 'number' && value > 0);

/** From the first day on that has any of the numbers, and never fewer than a week: empty days before that say nothing. */
export function fromFirstNumber<Row extends DayRow>(
  rows: readonly Row[],
  isFirst: (row: Row) => boolean = hasNumber,
): readonly Row[] {
  const first = rows.findIndex(isFirst);
  return rows.slice(first === -1 ? -fewestDays : Math.max(0, Math.min(first, rows.length - fewestDays)));
}

/** Heights of bars between 0 and `height`; whatever is more than nothing can be seen. */
export function barHeights(counts: readonly number[], height: number): readonly number[] {
  const most = Math.max(...counts, 0);
  return counts.map((count) => (count <= 0 ? 0 : Math.max(1.5, (count / most) * height)));
}

/** Days that are named below a chart: evenly spaced, and always the last one, which is today. */
export function namedDays(days: readonly string[], most = 5): readonly string[] {
  const step = Math.max(1, Math.ceil(days.length / most));
  return days.filter((_, index) => (days.length - 1 - index) % step === 0);
}
