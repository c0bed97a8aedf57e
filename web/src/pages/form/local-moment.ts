/** Moments in inputs for date and time, which show them where the reader is. */
const digits = (n: number, length = 2): string => String(n).padStart(length, '0');

/** `2026-11-17T19:00`; seconds are not entered. */
export function localInput(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  const day = `${digits(at.getFullYear(), 4)}-${digits(at.getMonth() + 1)}-${digits(at.getDate())}`;
  return `${day}T${digits(at.getHours())}:${digits(at.getMinutes())}`;
}

/** ... and back; null: nothing was entered. */
export const momentOf = (local: string): string | null => {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
};
