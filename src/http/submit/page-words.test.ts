import { describe, expect, it } from 'vitest';
import { type Language, languageTags } from '../../kernel/language.js';
import { type PageWords, pageWords } from './page-words.js';

const languages = Object.keys(languageTags) as Language[];

/** Every text of a language, with marks in place of numbers. */
const textsOf = (words: PageWords): Map<string, string> =>
  new Map(
    Object.entries(words).flatMap(([key, value]): [string, string][] => {
      if (typeof value === 'string') return [[key, value]];
      const { title, text } = typeof value === 'function' ? value('<mark>', false) : value;
      return [
        [`${key}.title`, title],
        [`${key}.text`, text],
      ];
    }),
  );

describe.each(languages)('the words in %s', (language) => {
  const texts = textsOf(pageWords[language]);

  it('are all there, and are not those of another language', () => {
    const english = textsOf(pageWords.en);
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted());
    for (const [key, text] of texts) {
      expect(text.trim()).not.toBe('');
      if (language !== 'en') expect([key, text]).not.toEqual([key, english.get(key)]);
    }
  });

  it('never shout, and end their sentences', () => {
    for (const [key, text] of texts) {
      expect(text).not.toMatch(/[!！¡]/);
      if (key.endsWith('.text') || key === 'typedIsKept' || key === 'useBackButton') {
        expect(text).toMatch(/[.。]$/);
      }
      if (key.endsWith('.title')) expect(text).not.toMatch(/[.。]$/);
    }
  });

  it('say the number that they are given', () => {
    const { rateLimited, unavailable, fileTooLarge, tooLarge, tooManyFiles, tooManyParts } =
      pageWords[language];
    for (const say of [rateLimited, unavailable, fileTooLarge, tooLarge, tooManyParts]) {
      expect(say('<mark>').text).toContain('<mark>');
    }
    expect(tooManyFiles('<mark>', false).text).toContain('<mark>');
  });

  it('need no escaping where they stand for themselves', () => {
    const { back, typedIsKept, useBackButton } = pageWords[language];
    for (const text of [back, typedIsKept, useBackButton]) expect(text).not.toMatch(/[&<>"']/);
  });
});

it('one file and several differ where the language does', () => {
  const forms = languages.map((language) => {
    const { tooManyFiles } = pageWords[language];
    return [language, tooManyFiles('1', true).text !== tooManyFiles('1', false).text];
  });
  expect(Object.fromEntries(forms)).toEqual({ en: true, de: true, fr: true, es: true, zh: false });
});
