/** The kinds of submitted values that are shown differently. */

/** This many fit on a line or two. More are easier to read as a list. */
const maxChips = 20;
const maxChipLength = 60;
/** Only a time with a zone is the same instant for visitor and user. */
const momentShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
/** A leading zero means a postcode or phone number. */
const numberShape = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** As ISO 8601 in UTC. */
export const momentIn = (value: unknown): string | null =>
  typeof value === 'string' && momentShape.test(value) && !Number.isNaN(Date.parse(value))
    ? new Date(value).toISOString()
    : null;

export const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && numberShape.test(value));

/** A list of short texts, such as ticked checkboxes. */
export function chipsIn(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxChips) return null;
  return value.every(
    (item): item is string =>
      typeof item === 'string' && item.length <= maxChipLength && !item.includes('\n'),
  )
    ? value
    : null;
}
