/** Markdown as Discord and Teams read it. */
import { cut } from '../../kernel/shown-text.js';

/** Takes the meaning from every mark; also from the colon that makes a bare URL a link. */
export const escapedMarkdown = (text: string): string => text.replace(/[\\*_~`|<>#+\-[\]()@:.!&=]/g, '\\$&');

/** Without half of an escape at the end. */
export const shortenedMarkdown = (markdown: string, maxChars: number): string =>
  markdown.length <= maxChars
    ? markdown
    : `${cut(markdown, maxChars - 1).replace(/(?<!\\)(\\\\)*\\$/, '$1')}…`;
