/**
 * A text as a cell of a CSV that no spreadsheet runs.
 *
 * Two readers are thought of. One splits at commas and honours the quotes: for it only the beginning of a text counts.
 * The other one splits at semicolons or tabs, as Excel does in most of Europe: to it a row is one unquoted text, the quotes
 * inside mean nothing, and what follows a semicolon, a tab or a line break in the middle of a text begins a cell.
 */

/** Full-width signs too: Excel reads them as the plain ones. */
const formulaSign = '[=+\\-@＝＋－＠]';
/** What spreadsheets skip at the beginning of a cell: blanks, invisible characters, quotes that no comma precedes. */
const skipped = '\\s\\p{Cc}\\p{Cf}"';

const formula = new RegExp(`^[${skipped}]*${formulaSign}|^[\\t\\r]`, 'u');

/** Almost every text begins with a letter or a digit, and then is no formula: the pattern took a quarter of an export. */
const plainBeginning = /^[A-Za-z0-9]/;

/** -12.5, +3, -1,234.56, -1.234,56, +1e5: a number, and nothing that could be computed. */
const number =
  /^[+-](?=[.,]?\d)(?:\d+|\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+)?(?:[.,]\d+)?(?:(?<=\d)e[+-]?\d{1,3})?$/i;
/** Groups of digits as people write them: +49 170 1234567, +1 (555) 123-4567. No slash: +1 234/5678 is a fraction to Excel. */
const phoneNumber = /^\+[ (]?\d+(?:[ ()-]{1,3}\d+)*$/;
/** Two groups and no operator between them: no spreadsheet can compute that. +49-170-1234567 it would, and lose what was typed. */
const notComputable = /\d[ ()]+\d/;

/** By E.164 at most 15 digits, and no country has fewer than 7. */
const isPhoneNumber = (text: string): boolean => {
  if (!phoneNumber.test(text) || !notComputable.test(text)) return false;
  const digits = text.replace(/\D/g, '').length;
  return digits >= 7 && digits <= 15;
};

/** A lone dash says "none". */
const isHarmless = (text: string): boolean => text === '-' || number.test(text) || isPhoneNumber(text);

/** Where a cell may begin in the middle of a text, with all that is skipped there: one pass, however long a run is. */
const cellStart = new RegExp(`[;\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029][;${skipped}]*`, 'gu');
const hasCellStart = /[;\t\r\n\v\f\u0085\u2028\u2029]/;
const startsFormula = new RegExp(`^${formulaSign}`);

/** An apostrophe before each formula makes it text. Numbers and telephone numbers stay as they were typed. */
export function safeCell(text: string): string {
  if (text === '') return text;
  // NUL first: spreadsheets skip it, and it would hide the formula behind it.
  const plain = text.includes('\0') ? text.replaceAll('\0', '') : text;
  const inside = hasCellStart.test(plain) ? withoutInnerFormulas(plain) : plain;
  return !plainBeginning.test(plain) && formula.test(plain) && !isHarmless(plain) ? `'${inside}` : inside;
}

const withoutInnerFormulas = (text: string): string =>
  text.replace(cellStart, (run, offset: number) =>
    startsFormula.test(text.charAt(offset + run.length)) ? `${run}'` : run,
  );

/** By the runs that `safeCell` finds: a pattern of a run and an apostrophe looks at each run again from each of its characters. */
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

/** The text that `safeCell` made this cell of. A text that had an apostrophe before a formula from the start loses it. */
export function unsafeCell(cell: string): string {
  if (!cell.includes("'")) return cell;
  const inside = withoutApostrophes(cell);
  const leading = (text: string): readonly string[] => (text.startsWith("'") ? [text.slice(1)] : []);
  const candidates = [...leading(inside), inside, ...leading(cell)];
  return candidates.find((plain) => plain !== cell && safeCell(plain) === cell) ?? cell;
}
