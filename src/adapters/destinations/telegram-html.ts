/**
 * Turns any text of an owner into HTML that Telegram accepts: tags that Telegram supports, closed in order, the rest as
 * text, and cut to fit. Telegram rejects a whole message for one tag that is not closed.
 */

export const escapedHtml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** Telegram drops formatting beyond 100 entities. A value after that would no longer be code. */
const maxTags = 90;

const piece =
  /<(\/?)(b|strong|i|em|u|ins|s|strike|del|code|pre|blockquote|tg-spoiler|a)>|<a href="(https?:\/\/[^"<>\s]{1,1000})">|&(?:lt|gt|amp|quot);|./gsu;

const isCode = (tag: string): boolean => tag === 'code' || tag === 'pre';

export function telegramHtml(html: string, maxChars: number): string {
  const open: string[] = [];
  /** Open tags that were left out because they were inside code. Their closing tags are left out too. */
  let skipped = 0;
  let chars = 0;
  let tags = 0;
  let written = '';
  const closed = (): string =>
    open
      .map((tag) => `</${tag}>`)
      .reverse()
      .join('');

  for (const [found, slash, name, href] of html.matchAll(piece)) {
    const tag = href === undefined ? name : 'a';
    if (tag === undefined) {
      // The last character is reserved for the ellipsis.
      if (chars + shownLength(found) > maxChars - 1) return `${written}${closed()}…`;
      chars += shownLength(found);
      written += found.length > 1 && found.startsWith('&') ? found : escapedHtml(found);
    } else if (slash === '/') {
      if (skipped > 0) skipped -= 1;
      else if (open.at(-1) === tag) written += `</${open.pop()}>`;
    } else if (isCode(open.at(-1) ?? '')) {
      skipped += 1;
    } else if (tag !== 'a' || href !== undefined) {
      tags += 1;
      if (tags > maxTags) return `${written}${closed()}…`;
      open.push(tag);
      written += found;
    }
  }
  return `${written}${closed()}`;
}

const shownLength = (found: string): number => (found.startsWith('&') && found.length > 1 ? 1 : found.length);
