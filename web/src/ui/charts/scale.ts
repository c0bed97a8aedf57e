/** The positions and heights of a chart's bars. Pure. */
import { type DayRow, numberOf, type Series } from './days.js';

/** More lines than this clutter a chart. */
const mostSteps = 5;
/** Steps that are easy to read: 1, 2 or 5 times a power of ten. */
const roundSteps = [1, 2, 5, 10] as const;

/** The tick labels from zero up to the first round number that no bar exceeds. Whole numbers only. */
export function ticksUpTo(most: number): readonly number[] {
  const rough = Math.max(most, 1) / mostSteps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const fitting = roundSteps.map((step) => step * power).find((step) => step >= rough) ?? rough;
  const step = Math.max(1, fitting);
  return Array.from({ length: Math.ceil(Math.max(most, 1) / step) + 1 }, (_, index) => index * step);
}

export interface Piece {
  readonly name: string;
  readonly color: string;
  /** As a fraction of the chart's height, from the bottom. */
  readonly from: number;
  readonly to: number;
}

/** The pieces of a day's bar, stacked in the order of the series. Zeros have no piece. `top` is the highest tick. */
export function piecesOf(row: DayRow, series: readonly Series[], top: number): readonly Piece[] {
  let sum = 0;
  return series.flatMap(({ name, color }) => {
    const from = sum;
    sum += numberOf(row, name);
    return sum === from ? [] : [{ name, color, from: from / top, to: sum / top }];
  });
}
