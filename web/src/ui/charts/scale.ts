/** Where the bars of a chart stand and how high they are. Pure. */
import { type DayRow, numberOf, type Series } from './days.js';

/** More lines than this only make a chart busy. */
const mostSteps = 5;
/** Of a number's first digit: people read these without counting. */
const roundSteps = [1, 2, 5, 10] as const;

/** What is written beside a chart, from zero up to the first round number that no bar is higher than. Whole numbers alone. */
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
  /** Of the chart's height, from its foot. */
  readonly from: number;
  readonly to: number;
}

/** The pieces of a day's bar, one above the other, in the order of the series; nothing for a zero. `top` is the highest tick. */
export function piecesOf(row: DayRow, series: readonly Series[], top: number): readonly Piece[] {
  let sum = 0;
  return series.flatMap(({ name, color }) => {
    const from = sum;
    sum += numberOf(row, name);
    return sum === from ? [] : [{ name, color, from: from / top, to: sum / top }];
  });
}
