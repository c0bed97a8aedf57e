/** Extracts what people read from Markdown and source files: whole texts without code, each with its line. */

/** Keeps the line breaks, so that line numbers stay right. */
const blank = (text) => text.replace(/[^\n]/g, '');

/** Front matter repeats the title, and code is not prose. */
const withoutCode = (markdown) =>
  markdown
    .replace(/^---\n[\s\S]*?\n---\n/, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^( *)(`{3,})[\s\S]*?^\1\2.*$/gm, blank);

const plain = (text) =>
  text
    // Names of tests, and quotations.
    .replace(/“[^”]*”/g, 'quoted')
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<https?:[^>]*>|https?:\S+/g, 'address')
    .replace(/<[^>]*>/g, '')
    .replace(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '')
    .replace(/&\w+;|\\(?=[^\w\s])/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** What starts a new text: a heading, a list item, a table row, a quotation. */
const beginning = /^\s*(?:#{1,6} |[-*+] |\d+\. |\||> ?)/;

export function markdownTexts(markdown) {
  const texts = [];
  let current = null;
  const add = (line, text, isHeading = false) => {
    texts.push({ line, raw: [text], isHeading });
    return texts.at(-1);
  };
  withoutCode(markdown)
    .split('\n')
    .forEach((text, index) => {
      if (text.trim() === '') current = null;
      else if (/^\s*\|/.test(text)) {
        for (const cell of text.split(/(?<!\\)\|/)) if (/\w/.test(cell)) add(index + 1, cell);
        current = null;
      } else if (/^#{1,6} /.test(text)) {
        add(index + 1, text.replace(/^#+ /, ''), true);
        current = null;
      } else if (current === null || beginning.test(text))
        current = add(index + 1, text.replace(beginning, ''));
      else current.raw.push(text);
    });
  return texts.map(({ line, raw, isHeading }) => ({ line, text: plain(raw.join(' ')), isHeading }));
}

const literal =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** String literals that contain a space: others are names, codes and addresses. */
export function sourceTexts(source) {
  return Array.from(source.matchAll(literal), ({ index, 1: single, 2: double, 3: template }) => ({
    line: source.slice(0, index).split('\n').length,
    text: plain((single ?? double ?? template ?? '').replace(/\$\{[^}]*\}/g, '#').replace(/\\n/g, ' ')),
    isHeading: false,
  })).filter(({ text }) => text.includes(' '));
}

const comment = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))(.*?)(?:\*\/)?$/;

/** Lines that hold only a comment. Comments after code on the same line are rare here. */
export const commentTexts = (source) =>
  source.split('\n').flatMap((line, index) => {
    const [, text] = comment.exec(line) ?? [];
    return text ? [{ line: index + 1, text: plain(text), isHeading: false }] : [];
  });
