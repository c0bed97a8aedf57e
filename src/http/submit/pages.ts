/**
 * The small pages that a visitor without JavaScript sees: one card, no script, under 5 kB with their stylesheet.
 * Whatever a visitor wrote stays text: names cannot open a tag nor turn the writing direction of what follows.
 */

import type { OutgoingHttpHeaders } from 'node:http';
import { shownCharacters } from '../../kernel/hidden-characters.js';
import { escapeHtml } from '../../kernel/html.js';
import { type Language, languageTags } from './page-language.js';
import type { PageLook } from './page-look.js';
import type { Mark } from './page-notice.js';
import { visitorStylePath } from './page-style.js';
import { type Notice, pageWords } from './page-words.js';

export interface PageViolation {
  readonly label: string;
  readonly message: string;
}

export interface PageContent {
  readonly language: Language;
  readonly mark: Mark;
  readonly notice: Notice;
  readonly formName: string | null;
  readonly detail: string | null;
  /** What is wrong with the fields, one by one. */
  readonly violations: readonly PageViolation[];
  /** The visitor filled in a form that was not taken. */
  readonly hasTyped: boolean;
  /** Where the link back leads, see `pageBefore`. */
  readonly backTo: string | null;
  readonly look: PageLook;
}

export interface VisitorPages {
  render(content: PageContent): string;
  /** The same words without a page around them, for a script that puts them into its own page. */
  renderFragment(
    content: Pick<PageContent, 'language' | 'mark' | 'notice' | 'detail' | 'violations'>,
  ): string;
  /** The headers of a page, with those that the answer already has. */
  headersFor(language: Language, headers: OutgoingHttpHeaders, look: PageLook): OutgoingHttpHeaders;
  /** The page that a visitor came from, if one may link to it. */
  pageBefore(referer: string | undefined, host: string | undefined): string | null;
}

/** What hides or reorders is written out: a name of a form is what its owner typed, a detail what a visitor sent. */
const textHtml = (text: string): string => escapeHtml(shownCharacters(text));

const listHtml = (violations: readonly PageViolation[]): string =>
  violations.length === 0
    ? ''
    : `<ul>${violations
        .map(
          ({ label, message }) =>
            `<li><strong><bdi>${textHtml(label)}</bdi></strong> ${escapeHtml(message)}</li>`,
        )
        .join('')}</ul>\n`;

/** Longer ones would make the page heavier than it may be; browsers themselves cut a Referer at 4,096. */
const maxLinkLength = 2_048;

/** `baseUrl` is where people reach this instance; a path may stand in it. */
export function createVisitorPages(baseUrl: string): VisitorPages {
  const base = new URL(`${baseUrl}/`);
  const styleUrl = escapeHtml(new URL(visitorStylePath, base).href);
  // The page may be asked for under another name than the base address, from which the stylesheet comes. Forms that a
  // website shows in a frame end on this page in that frame; there is nothing to click but a link back, so any site may.
  const policyFor = ({ styleSource, imagePolicy }: PageLook): string =>
    `default-src 'none'; style-src 'self' ${base.origin}${styleSource}; ${imagePolicy}base-uri 'none'; ` +
    "form-action 'none'; frame-ancestors *";
  const ownPath = `${base.pathname}f/`;

  return {
    render({ language, mark, notice, formName, detail, violations, hasTyped, backTo, look }) {
      const words = pageWords[language];
      const title = escapeHtml(notice.title);
      const name = formName === null ? '' : `<p class="name"><bdi>${textHtml(formName)}</bdi></p>\n`;
      const technical =
        detail === null ? '' : `<p class="detail" lang="en"><bdi>${textHtml(detail)}</bdi></p>\n`;
      const hint = hasTyped ? words.typedIsKept : backTo === null ? words.useBackButton : null;
      const label = hasTyped ? words.leave : words.back;
      const link = backTo === null ? '' : `<a href="${escapeHtml(backTo)}" rel="noreferrer">${label}</a>\n`;
      return `<!doctype html>
<html lang="${languageTags[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${styleUrl}">
${look.style}</head>
<body>
<main>
${look.logo}<div class="mark ${mark}"></div>
${name}<h1>${title}</h1>
<p>${escapeHtml(notice.text)}</p>
${listHtml(violations)}${hint === null ? '' : `<p class="hint">${hint}</p>\n`}${link}${technical}</main>
</body>
</html>
`;
    },

    renderFragment({ language, mark, notice, detail, violations }) {
      const technical = detail === null ? '' : `<p lang="en">${textHtml(detail)}</p>`;
      return (
        `<div class="inlet-response inlet-${mark}" role="status" lang="${languageTags[language]}">` +
        `<p><strong>${escapeHtml(notice.title)}</strong></p><p>${escapeHtml(notice.text)}</p>${listHtml(violations).trimEnd()}${technical}</div>\n`
      );
    },

    headersFor(language, headers, look) {
      const { vary } = headers;
      return {
        ...headers,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policyFor(look),
        'cache-control': 'no-store',
        'content-language': languageTags[language],
        vary: vary === undefined ? 'Accept-Language' : `${String(vary)}, Accept-Language`,
      };
    },

    pageBefore(referer, host) {
      if (referer === undefined || referer.length > maxLinkLength) return null;
      if (!/^https?:\/\//i.test(referer) || !URL.canParse(referer)) return null;
      const page = new URL(referer);
      // What stands before an @ makes an address look like that of somebody else.
      [page.username, page.password] = ['', ''];
      // Our own pages are what the visitor wants to leave.
      const isOurs =
        (page.origin === base.origin && page.pathname.startsWith(ownPath)) ||
        (page.host === host && page.pathname.startsWith('/f/'));
      return isOurs || page.href.length > maxLinkLength ? null : page.href;
    },
  };
}
