/** Numbers by day, for charts and tables. Days are in the user's time zone, written `2026-11-15`. Pure. */

export type DayRow = { readonly day: string } & Readonly<Record<string, number | string>>;

/** A number in a chart: its key in a row, its label and its colour. */
export interface Series {
  readonly name: string;
  readonly label: string;
  readonly color: string;
}

export const numberOf = (row: DayRow, name: string): number => Number(row[name] ?? 0);

export const totalOf = (rows: readonly DayRow[], name: string): number =>
  rows.reduce((sum, row) => sum + numberOf(row, name), 0);

/** A chart with fewer bars looks broken. */
const fewestDays = 7;

export const hasNumber = (row: DayRow): boolean =>
  Object.values(row).some((value) => typeof value === 'number' && value > 0);

/** Starts at the first day that has a number, but keeps at least a week: empty days before it carry no information. */
export function fromFirstNumber<Row extends DayRow>(
  rows: readonly Row[],
  isFirst: (row: Row) => boolean = hasNumber,
): readonly Row[] {
  const first = rows.findIndex(isFirst);
  return rows.slice(first === -1 ? -fewestDays : Math.max(0, Math.min(first, rows.length - fewestDays)));
}

/** Bar heights between 0 and `height`. Anything above zero stays visible. */
export function barHeights(counts: readonly number[], height: number): readonly number[] {
  const most = Math.max(...counts, 0);
  return counts.map((count) => (count <= 0 ? 0 : Math.max(1.5, (count / most) * height)));
}

/** The days labelled below a chart: evenly spaced, and always including the last one, which is today. */
export function namedDays(days: readonly string[], most = 5): readonly string[] {
  const step = Math.max(1, Math.ceil(days.length / most));
  return days.filter((_, index) => (days.length - 1 - index) % step === 0);
}
