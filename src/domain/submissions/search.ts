/** Splits the text of the search field into words that every database treats alike. */
import { writtenWords } from '../../model/words.js';

const maxWords = 10;
const maxWordLength = 100;

/** Each must appear, at least as the beginning of a word. */
export const searchWords = (text: string): readonly string[] =>
  writtenWords(text)
    .slice(0, maxWords)
    .map((word) => [...word].slice(0, maxWordLength).join(''));
