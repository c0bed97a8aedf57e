/** What Discord and Teams make of Markdown, besides text. Stricter than either: what might be markup counts as markup. */

const link = /\[[^[\]]*\]\(([^()\s]*)\)/g;
const marks =
  /https?:\/\/|www\.|<[@#:!&/a-z]|@(?:everyone|here)|[*_~`]|\|\||^#{1,6} |^>|^\s*[-*+] |^\s*\d+[.)] |^-# |^[=-]{2,}$|\]\(|&\w+;/gim;

export function activeInMarkdown(markdown: string): readonly string[] {
  // An escaped mark is an ordinary character. A letter stands for it.
  const plain = markdown.replace(/\\[!-/:-@[-`{-~]/g, 'x');
  const links = Array.from(plain.matchAll(link), (match) => `link ${match[1]}`);
  return [...links, ...(plain.replace(link, 'x').match(marks) ?? [])];
}
