import { expect, it } from 'vitest';
import { plainWords, wordsOf } from './words.js';

it.each([
  ['spaces', 'Zoë Möller, dear '],
  ['no spaces', 'Zoë,ΑΣ.ΑΣ;ＡＢ'],
  ['other scripts', '日本語、हिन्दी。'],
  ['letters that are one sign', 'a™b ﬁ ℡ '],
  ['one word', 'x'],
])('the words of a long text with %s are those of all of it', (_, part) => {
  const text = part.repeat(20_000);
  expect([...wordsOf(text)]).toEqual(plainWords(text));
});
