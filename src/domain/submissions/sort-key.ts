/** Turns what a field shows into a text by whose characters it can be sorted: numbers by their value, then texts regardless of case and accents. */

/** What differs only after that is as good as equal: a key stands in cursors. */
const maxLength = 100;
const number = /^[+-]?\d{1,15}(\.\d{1,15})?$/;
/** Marks that stand apart from their letters once a text is decomposed. */
const marks = /\p{M}+/gu;

/** The bytes of a double, so that they sort as the numbers do: negative ones are turned around. */
function numberKey(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const isNegative = (bytes[0] ?? 0) >= 0x80;
  const turned = bytes.map((byte, index) => byte ^ (isNegative ? 0xff : index === 0 ? 0x80 : 0));
  return Buffer.from(turned).toString('hex');
}

/** Empty for what shows nothing. */
export function sortKey(shown: string): string {
  const text = shown.slice(0, 2 * maxLength).trim();
  if (text === '') return '';
  if (number.test(text)) return `0${numberKey(Number(text))}`;
  return `1${text.normalize('NFKD').replace(marks, '').toLowerCase().slice(0, maxLength)}`;
}
