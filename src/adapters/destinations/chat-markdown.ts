/** Markdown as Discord and Teams read it. */
import { cut } from '../../kernel/shown-text.js';

/** Escapes every markup character, and the colon that turns a bare URL into a link. */
export const escapedMarkdown = (text: string): string => text.replace(/[\\*_~`|<>#+\-[\]()@:.!&=]/g, '\\$&');

/** Never ends in half an escape sequence. */
export const shortenedMarkdown = (markdown: string, maxChars: number): string =>
  markdown.length <= maxChars
    ? markdown
    : `${cut(markdown, maxChars - 1).replace(/(?<!\\)(\\\\)*\\$/, '$1')}…`;
