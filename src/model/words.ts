/**
 * The words of a text as they were written: runs of letters and digits with the marks that belong to them. In many scripts
 * (Devanagari, Thai, Arabic with vowels) the marks stand within a word. Which letters are the same in capitals is
 * for the index to say, which may know fewer of them than we do (Cherokee, the capitals of Georgian).
 */
export const writtenWords = (text: string): readonly string[] =>
  text.match(/[\p{Letter}\p{Number}][\p{Letter}\p{Number}\p{Mark}]*/gu) ?? [];

/** The same as bare letters and digits in lower case, without accents and marks: where an index is made of these. */
export const plainWords = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .match(/[\p{Letter}\p{Number}]+/gu) ?? [];

const pieceLength = 16 * 1024;
/** Characters that no word goes across and no neighbour changes: neither when taken apart nor in lower case. */
const boundary = /[\s!-&(-\-/;-@[-\]{-~、。]/g;

/** The plain words of a long text, a piece of it at a time: all at once, those of a mebibyte took 80 ms. */
export function* wordsOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    boundary.lastIndex = from + pieceLength;
    const to = boundary.lastIndex < text.length ? (boundary.exec(text)?.index ?? text.length) : text.length;
    yield* plainWords(text.slice(from, to));
    from = to;
  }
}
