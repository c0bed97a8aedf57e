/** What the check of our English finds, and what it accepts. */
import { describe, expect, it } from 'vitest';
import { checkComments, checkText } from '../../scripts/check-prose.mjs';

const page = (text: string): readonly string[] => checkText('page.md', text);

describe('the check of prose', () => {
  it('finds words that the glossary replaces, with the line', () => {
    expect(page('# Spam\n\nThe request was turned away.\n')).toEqual([
      'page.md:3: "turned away": write rejected',
    ]);
    expect(page('| Who |\n|---|\n| Whoever asks |')).toEqual([
      'page.md:3: "Whoever": write anyone who, the person who',
    ]);
    expect(checkText('words.ts', "export const gone = 'The receiver is down';\n")).toEqual([
      'words.ts:1: "receiver": write destination; the server of a webhook is an endpoint',
    ]);
  });

  it('finds exclamation marks and capitals in headings', () => {
    expect(page('It works!')).toEqual(['page.md:1: an exclamation mark']);
    expect(page('## Verify A Webhook')).toEqual(['page.md:1: "A Webhook" in a heading: use sentence case']);
    expect(page('## Add submissions to a Google Sheet: the API key')).toEqual([]);
  });

  it('finds sentences that are too long, over line breaks too', () => {
    const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
    expect(page(`${words(20)}\n${words(16)}.`)).toEqual([
      expect.stringMatching(/^page\.md:1: a sentence of 36 words, at most 35: /),
    ]);
    expect(page(`${words(30)}. ${words(5)}.\n\n- ${words(30)}\n- ${words(30)}`)).toHaveLength(0);
    expect(page(`Set ${'`A`, '.repeat(60)}or nothing.`)).toEqual([]);
  });

  it('finds such words in comments, and only there', () => {
    const source = "const told = 'told';\n// Whoever asks `told`.\n/**\n * Is told.\n */\n";
    expect(checkComments('a.ts', source)).toEqual([
      'a.ts:2: "Whoever": write anyone who, the person who',
      'a.ts:4: "told": write reported, notified',
    ]);
    expect(checkComments('a.ts', '/** The robots. */')).toEqual(['a.ts:1: "robots": write bots']);
  });

  it('leaves code, quotations, front matter and comments alone', () => {
    expect(
      page(
        '---\ntitle: Oops!\n---\n\n```js\nwhoever();\n```\n\n<!-- told -->\nSend `receiver` to [it](told.md). “The receiver answers”\n',
      ),
    ).toEqual([]);
    expect(checkText('words.ts', "// whoever is told\nimport x from './told.js';\n")).toEqual([]);
  });
});
