/** The first rows of a file, before any of them is imported. */
import type { Pace } from '../../kernel/pace.js';
import type { ReadRow } from './rows.js';

/** The rows that decide the order of day and month. */
const sampleRows = 1_000;
const sampleText = 1024 * 1024;

/** Reads the first rows ahead. `rest` yields all rows, including these. */
export async function sampled(
  rows: AsyncIterable<ReadRow>,
  pace: Pace,
): Promise<{ sample: readonly ReadRow[]; rest: AsyncIterable<ReadRow> }> {
  const iterator = rows[Symbol.asyncIterator]();
  const sample: ReadRow[] = [];
  let length = 0;
  while (sample.length < sampleRows && length < sampleText) {
    const { value, done } = await iterator.next();
    if (done) break;
    sample.push(value);
    length += value.original.reduce((sum, text) => sum + text.length, 0);
    if (pace.isOver()) await pace.rest();
  }
  async function* rest(): AsyncGenerator<ReadRow> {
    try {
      yield* sample;
      for (let one = await iterator.next(); !one.done; one = await iterator.next()) yield one.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { sample, rest: rest() };
}
