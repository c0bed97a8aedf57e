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
