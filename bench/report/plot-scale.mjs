/** Maps numbers to positions on an axis, and chooses the round numbers of its ticks. */

const decade = (value) => 10 ** Math.floor(Math.log10(value));

/** 1, 2 or 5 times a power of ten, so that about `count` of them cover the span. */
function roundStep(span, count) {
  const rough = span / count;
  const base = decade(rough);
  return base * ([1, 2, 5].find((factor) => rough <= base * factor) ?? 10);
}

function linear(low, high, { startAtZero, count }) {
  const least = startAtZero && low > 0 ? 0 : low;
  const span = high - least || Math.abs(high) || 1;
  const step = roundStep(span, count);
  // Computed from whole steps, because adding 0.1 ten times does not give 1.
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
  const from = ticks[0];
  const to = ticks[ticks.length - 1];
  return { ticks, place: (value) => (value - from) / (to - from) };
}

function logarithmic(low, high) {
  const from = Math.floor(Math.log10(low) + 1e-9);
  const to = Math.max(from + 1, Math.ceil(Math.log10(high) - 1e-9));
  const decades = Array.from({ length: to - from + 1 }, (_, i) => Number((10 ** (from + i)).toPrecision(12)));
  // Over one or two decades, powers of ten alone are too few ticks.
  const ticks =
    to - from > 2
      ? decades
      : decades.flatMap((value, i) => (i === to - from ? [value] : [value, value * 2, value * 5]));
  return {
    ticks: ticks.map((value) => Number(value.toPrecision(12))),
    place: (value) => (Math.log10(value) - from) / (to - from),
  };
}

/** Whether an axis can show the value: a logarithmic one has no place for 0. */
export const isShown = (value, axis) => Number.isFinite(value) && (!axis.log || value > 0);

/** If only a few values were measured, such as 1, 16, 64 and 256 connections, they are better ticks than round numbers. */
function atValues(values) {
  const ticks = [...new Set(values)].sort((a, b) => a - b);
  const [from, to] = [Math.log10(ticks[0]), Math.log10(ticks[ticks.length - 1])];
  return { ticks, place: (value) => (Math.log10(value) - from) / (to - from) };
}

/** `place` returns 0 for the first tick and 1 for the last. All values lie between. */
export function scaleOf(values, axis, options) {
  const shown = values.filter((value) => isShown(value, axis));
  if (shown.length === 0) return linear(0, 1, options);
  const places = new Set(shown).size;
  if (axis.log && options.tickAtValues && places > 1 && places <= options.count) return atValues(shown);
  const low = shown.reduce((least, value) => Math.min(least, value));
  const high = shown.reduce((most, value) => Math.max(most, value));
  return axis.log ? logarithmic(low, high) : linear(low, high, options);
}

const units = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e4, 'k'],
];

/** Short enough for an axis: 5,000 as it is, 20k and 1M with a letter. */
export function tickText(value) {
  const [size, letter] = units.find(([least]) => Math.abs(value) >= least) ?? [1, ''];
  const per = letter === 'k' ? 1_000 : size;
  return (value / per).toLocaleString('en', { maximumSignificantDigits: 6 }) + letter;
}
