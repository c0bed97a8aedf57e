/** Turns what a field shows into a key that sorts as text: numbers by value, then texts regardless of case and accents. */

/** Keys are part of cursors, so they are cut. Values that differ only after this length count as equal. */
const maxLength = 100;
const number = /^[+-]?\d{1,15}(\.\d{1,15})?$/;
/** Marks that are separate from their letters once a text is decomposed. */
const marks = /\p{M}+/gu;

/** The bytes of a double, changed so that they sort like the numbers: those of negative numbers are inverted. */
function numberKey(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const isNegative = (bytes[0] ?? 0) >= 0x80;
  const turned = bytes.map((byte, index) => byte ^ (isNegative ? 0xff : index === 0 ? 0x80 : 0));
  return Buffer.from(turned).toString('hex');
}

/** Returns an empty key for an empty value. */
export function sortKey(shown: string): string {
  const text = shown.slice(0, 2 * maxLength).trim();
  if (text === '') return '';
  if (number.test(text)) return `0${numberKey(Number(text))}`;
  return `1${text.normalize('NFKD').replace(marks, '').toLowerCase().slice(0, maxLength)}`;
}
