/**
 * The words of a text as written: runs of letters and digits with the marks that belong to them. In many scripts
 * (Devanagari, Thai, Arabic with vowels) the marks are within a word. Case folding is left to the index, which may
 * know fewer letters than we do (Cherokee, Georgian capitals).
 */
export const writtenWords = (text: string): readonly string[] =>
  text.match(/[\p{Letter}\p{Number}][\p{Letter}\p{Number}\p{Mark}]*/gu) ?? [];

/** The same as plain letters and digits in lower case, without accents and marks, for an index that consists of these. */
export const plainWords = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .match(/[\p{Letter}\p{Number}]+/gu) ?? [];

const pieceLength = 16 * 1024;
/** Characters that no word contains and no neighbour changes, neither when decomposed nor in lower case. */
const boundary = /[\s!-&(-\-/;-@[-\]{-~、。]/g;

/** The plain words of a long text, one piece at a time: a mebibyte at once took 80 ms. */
export function* wordsOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    boundary.lastIndex = from + pieceLength;
    const to = boundary.lastIndex < text.length ? (boundary.exec(text)?.index ?? text.length) : text.length;
    yield* plainWords(text.slice(from, to));
    from = to;
  }
}
