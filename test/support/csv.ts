/** A reader for RFC 4180 and nothing more lenient: what it cannot read, a spreadsheet may misread. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 1) {
        if (at >= text.length) throw new Error('A quoted cell does not end');
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') {
          cell += '"';
          at += 1;
        } else break;
      }
      at += 1;
    } else {
      while (at < text.length && text[at] !== ',' && !text.startsWith('\r\n', at)) {
        if (/["\r\n]/.test(text.charAt(at))) throw new Error(`A bare quote or line break at ${at}`);
        cell += text[at];
        at += 1;
      }
    }
    row.push(cell);
    if (text[at] === ',') {
      at += 1;
      if (at === text.length) row.push('');
    } else if (text.startsWith('\r\n', at)) {
      rows.push(row);
      row = [];
      at += 2;
    } else if (at < text.length) throw new Error(`Text behind a quoted cell at ${at}`);
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

/** Excel: a quote at the start of a cell opens it, one in the middle is an ordinary character. */
export const quotesMatter = (cell: string): string =>
  /^"((?:[^"]|"")*)"?(.*)$/s.exec(cell)?.slice(1).join('') ?? cell;
/** A reader that ignores quotes. */
export const quotesMeanNothing = (cell: string): string => cell;

/**
 * The cells that a spreadsheet finds when it splits a comma-separated file at
 * another separator: quotes do not protect what is in the middle of its cells.
 */
export const cellsOf = (text: string, separator: string, read: (cell: string) => string): string[] =>
  text
    .split(/\r\n|[\r\n]/)
    .flatMap((line) => line.split(separator))
    .map(read);
