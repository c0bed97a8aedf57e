/** Finds search words in a text as the search does: at the start of words, ignoring case and accents. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

const wordCharacter = /[\p{L}\p{N}]/u;
const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The words of a query, without punctuation. */
export const wordsOf = (q: string): readonly string[] => [
  ...new Set((q.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map(fold).filter((word) => word !== '')),
];

interface Character {
  readonly start: number;
  readonly end: number;
  /** Empty for a combining accent. */
  readonly folded: string;
}

function charactersOf(text: string): readonly Character[] {
  const characters: Character[] = [];
  let start = 0;
  for (const character of text) {
    characters.push({ start, end: start + character.length, folded: fold(character) });
    start += character.length;
  }
  return characters;
}

/** The number of characters from `from` on that spell the word; 0 when they do not. */
function lengthOf(word: string, characters: readonly Character[], from: number): number {
  let spelt = '';
  for (let at = from; at < characters.length; at += 1) {
    spelt += characters[at]?.folded ?? '';
    if (spelt.length >= word.length) return spelt.startsWith(word) ? at - from + 1 : 0;
    if (!word.startsWith(spelt)) return 0;
  }
  return 0;
}

export function matchesIn(text: string, words: readonly string[]): readonly Match[] {
  if (words.length === 0) return [];
  const characters = charactersOf(text);
  const found: Match[] = [];
  let isInWord = false;
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at];
    if (character === undefined) break;
    const isWord: boolean = character.folded === '' ? isInWord : wordCharacter.test(character.folded);
    if (isWord && !isInWord) {
      const length = Math.max(...words.map((word) => lengthOf(word, characters, at)));
      const last = characters[at + length - 1];
      if (length > 0 && last !== undefined) found.push({ start: character.start, end: last.end });
    }
    isInWord = isWord;
  }
  return found;
}
