/** Arithmetic for measurements, and the progress line. */

const sorted = (values) => [...values].sort((a, b) => a - b);

export function quantile(values, share) {
  const ordered = sorted(values);
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))];
}

export function median(values) {
  const ordered = sorted(values);
  const middle = ordered.length >> 1;
  return ordered.length % 2 === 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
}

export const round = (value, digits = 2) => Number(value.toFixed(digits));

export const mebibytes = (bytes) => round(bytes / 2 ** 20, 1);

export const clockText = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

let clock = null;

/** From now on, each progress line shows the elapsed time of the run and its expected total. */
export function startClock(startedAt, expectedSeconds) {
  clock = { startedAt, expectedSeconds };
}

export function progress(text) {
  const time = clock
    ? `[${clockText((performance.now() - clock.startedAt) / 1000)} of about ${clockText(clock.expectedSeconds)}] `
    : '';
  process.stderr.write(`${time}${text}\n`);
}
