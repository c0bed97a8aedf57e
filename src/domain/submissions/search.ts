/** What a person types into the search field, as words that every database reads alike. */
import { writtenWords } from '../../model/words.js';

const maxWords = 10;
const maxWordLength = 100;

/** Each must appear, at least as a beginning. */
export const searchWords = (text: string): readonly string[] =>
  writtenWords(text)
    .slice(0, maxWords)
    .map((word) => [...word].slice(0, maxWordLength).join(''));
