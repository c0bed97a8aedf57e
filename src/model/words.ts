/**
 * The words of a text as they were written, in lower case: runs of letters and digits with the marks that belong to them.
 * In many scripts (Devanagari, Thai, Arabic with vowels) the marks stand within a word.
 */
export const writtenWords = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{Letter}\p{Number}][\p{Letter}\p{Number}\p{Mark}]*/gu) ?? [];

/** The same as bare letters and digits, without accents and marks: where an index is made of these. */
export const plainWords = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .match(/[\p{Letter}\p{Number}]+/gu) ?? [];
