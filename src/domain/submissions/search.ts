/** What a person types into the search field, as words that every database reads alike. */

const maxWords = 10;
const maxWordLength = 100;

/** Runs of letters and digits, without accents, in lower case. Each must appear, at least as a beginning. */
export function searchWords(text: string): readonly string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase();
  const words = plain.match(/[\p{Letter}\p{Number}]+/gu) ?? [];
  return words.slice(0, maxWords).map((word) => [...word].slice(0, maxWordLength).join(''));
}
