/**
 * Makes a text safe as a CSV cell, so that no spreadsheet runs it as a formula.
 *
 * Two kinds of readers are considered. One splits at commas and honours the quotes: for it only the beginning of a text
 * matters. The other splits at semicolons or tabs, as Excel does in most of Europe: for it a row is one unquoted text, quotes
 * inside it mean nothing, and a new cell begins after a semicolon, a tab or a line break in the middle of a text.
 */

/** Full-width signs too: Excel treats them like the plain ones. */
const formulaSign = '[=+\\-@＝＋－＠]';
/** What spreadsheets skip at the beginning of a cell: blanks, invisible characters, quotes without a comma before them. */
const skipped = '\\s\\p{Cc}\\p{Cf}"';

const formula = new RegExp(`^[${skipped}]*${formulaSign}|^[\\t\\r]`, 'u');

/** A fast path: almost every text begins with a letter or digit and is no formula. The full pattern took a quarter of an export. */
const plainBeginning = /^[A-Za-z0-9]/;

/** -12.5, +3, -1,234.56, -1.234,56, +1e5: a number, with nothing to compute. */
const number =
  /^[+-](?=[.,]?\d)(?:\d+|\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+)?(?:[.,]\d+)?(?:(?<=\d)e[+-]?\d{1,3})?$/i;
/** Groups of digits as people write them: +49 170 1234567, +1 (555) 123-4567. No slash: +1 234/5678 is a fraction to Excel. */
const phoneNumber = /^\+[ (]?\d+(?:[ ()-]{1,3}\d+)*$/;
/** Two groups without an operator: no spreadsheet can compute that. It would compute +49-170-1234567 and lose what was typed. */
const notComputable = /\d[ ()]+\d/;

/** At most 15 digits by E.164, and no country has fewer than 7. */
const isPhoneNumber = (text: string): boolean => {
  if (!phoneNumber.test(text) || !notComputable.test(text)) return false;
  const digits = text.replace(/\D/g, '').length;
  return digits >= 7 && digits <= 15;
};

/** A lone dash means "none". */
const isHarmless = (text: string): boolean => text === '-' || number.test(text) || isPhoneNumber(text);

/** Where a cell may begin in the middle of a text, with everything skipped there: one pass, however long a run is. */
const cellStart = new RegExp(`[;\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029][;${skipped}]*`, 'gu');
const hasCellStart = /[;\t\r\n\v\f\u0085\u2028\u2029]/;
const startsFormula = new RegExp(`^${formulaSign}`);

/** Puts an apostrophe before each formula, which makes it text. Numbers and phone numbers stay as they were typed. */
export function safeCell(text: string): string {
  if (text === '') return text;
  // NUL first: spreadsheets skip it, so it would hide the formula after it.
  const plain = text.includes('\0') ? text.replaceAll('\0', '') : text;
  const inside = hasCellStart.test(plain) ? withoutInnerFormulas(plain) : plain;
  return !plainBeginning.test(plain) && formula.test(plain) && !isHarmless(plain) ? `'${inside}` : inside;
}

const withoutInnerFormulas = (text: string): string =>
  text.replace(cellStart, (run, offset: number) =>
    startsFormula.test(text.charAt(offset + run.length)) ? `${run}'` : run,
  );

/** Uses the runs that `safeCell` finds: a pattern of a run and an apostrophe would rescan each run from each of its characters. */
function withoutApostrophes(cell: string): string {
  let plain = '';
  let from = 0;
  for (const { 0: run, index } of cell.matchAll(cellStart)) {
    const end = index + run.length;
    if (cell.charAt(end) !== "'" || !startsFormula.test(cell.charAt(end + 1))) continue;
    plain += cell.slice(from, end);
    from = end + 1;
  }
  return plain + cell.slice(from);
}

/** Returns the text that `safeCell` made this cell from. An apostrophe that was in the text before a formula is lost. */
export function unsafeCell(cell: string): string {
  if (!cell.includes("'")) return cell;
  const inside = withoutApostrophes(cell);
  const leading = (text: string): readonly string[] => (text.startsWith("'") ? [text.slice(1)] : []);
  const candidates = [...leading(inside), inside, ...leading(cell)];
  return candidates.find((plain) => plain !== cell && safeCell(plain) === cell) ?? cell;
}
