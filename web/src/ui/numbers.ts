/** Numbers as people read them. */
const whole = new Intl.NumberFormat('en');

export const formatCount = (count: number): string => whole.format(count);

/** `1 form`, `2 forms`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${power > 0 && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  const hours = Math.floor(ms / 3_600_000);
  return hours < 48
    ? `${hours} h ${Math.floor((ms % 3_600_000) / 60_000)} min`
    : `${Math.floor(hours / 24)} days`;
}
