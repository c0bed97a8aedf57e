import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokensOf } from './tokens.js';

const languages = [
  'html',
  'vue',
  'svelte',
  'astro',
  'javascript',
  'jsx',
  'bash',
  'python',
  'php',
  'go',
  'ruby',
];

/** Each token that is not plain, as `meaning text`. */
const meant = (code: string, language: string): readonly string[] =>
  tokensOf(code, language)
    .filter(({ meaning }) => meaning !== 'plain')
    .map(({ meaning, text }) => `${meaning} ${text}`);

describe('tokens', () => {
  it.each(languages)('of %s are the code, whatever it is', (language) => {
    const pieces = fc.constantFrom(
      '<',
      '>',
      '<script>\n',
      '</script>',
      '"',
      "'",
      '`',
      '{',
      '}',
      '/*',
      '#',
      '\n',
      'é😀',
      'if',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string())), (parts) => {
        const code = parts.join('');
        expect(
          tokensOf(code, language)
            .map(({ text }) => text)
            .join(''),
        ).toBe(code);
      }),
    );
  });

  it('stay plain in a language that nobody knows', () => {
    expect(tokensOf('if "x"', 'text')).toEqual([{ meaning: 'plain', text: 'if "x"' }]);
  });

  it('tell elements from their attributes, texts and scripts', () => {
    expect(meant('<p class="a" hidden>no "word" if</p>', 'html')).toEqual([
      'tag <p',
      'attribute class',
      'text "a"',
      'attribute hidden',
      'tag >',
      'text "word"',
      'tag </p',
      'tag >',
    ]);
    expect(meant("<script setup>\nconst a = 'b';\n</script>\n<p>const</p>", 'vue')).toEqual([
      'tag <script',
      'attribute setup',
      'tag >',
      'word const',
      "text 'b'",
      'tag </script',
      'tag >',
      'tag <p',
      'tag >',
      'tag </p',
      'tag >',
    ]);
  });

  it('find elements in JSX, and no word within a name', () => {
    expect(meant('return <A b={iffy.from()} />; // note', 'jsx')).toEqual([
      'word return',
      'tag <A',
      'attribute b',
      'tag />',
      'comment // note',
    ]);
  });

  it.each([
    ['python', 'def a(): # b', ['word def', 'comment # b']],
    [
      'php',
      "<?php echo $a . 'b'; // c",
      ['tag <?php', 'word echo', 'attribute $a', "text 'b'", 'comment // c'],
    ],
    ['go', 'func a() string { return "b" }', ['word func', 'word string', 'word return', 'text "b"']],
    ['ruby', 'def a = "b" # c', ['word def', 'text "b"', 'comment # c']],
    ['bash', "curl 'x' -H 'y'", ['word curl', "text 'x'", 'attribute -H', "text 'y'"]],
  ])('know %s', (language, code, tokens) => {
    expect(meant(code, language)).toEqual(tokens);
  });

  it('colour every sample of the verification', () => {
    const folder = new URL('../../verification/', import.meta.url);
    const endings: Readonly<Record<string, string>> = {
      mjs: 'javascript',
      py: 'python',
      php: 'php',
      go: 'go',
      rb: 'ruby',
    };
    const files = readdirSync(folder).filter((name) => name.startsWith('verify.'));
    expect(files).toHaveLength(5);
    for (const name of files) {
      const code = readFileSync(new URL(name, folder), 'utf8');
      expect(meant(code, endings[name.split('.')[1] ?? ''] ?? '').length).toBeGreaterThan(5);
    }
  });
});
