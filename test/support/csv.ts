/** A reader of RFC 4180 and of nothing more lenient: what it cannot read, a spreadsheet may misread. */
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
