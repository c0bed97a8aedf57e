/** Timestamps in date and time inputs, which use local time. */
const digits = (n: number, length = 2): string => String(n).padStart(length, '0');

/** `2026-11-17T19:00`, without seconds. */
export function localInput(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  const day = `${digits(at.getFullYear(), 4)}-${digits(at.getMonth() + 1)}-${digits(at.getDate())}`;
  return `${day}T${digits(at.getHours())}:${digits(at.getMinutes())}`;
}

/** The reverse. Returns null for empty input. */
export const momentOf = (local: string): string | null => {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
};
