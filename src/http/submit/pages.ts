/**
 * The small pages that a visitor without JavaScript sees: one card, no script, under 5 kB with their stylesheet.
 * Whatever a visitor wrote stays text: names cannot open a tag nor turn the writing direction of what follows.
 */

import type { OutgoingHttpHeaders } from 'node:http';
import { shownCharacters } from '../../kernel/hidden-characters.js';
import { escapeHtml } from '../../kernel/html.js';
import { type Language, languageTags } from '../../kernel/language.js';
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

/** A page behind a link in a mail: it says something, and one button sends it back to its own address. */
export interface ActionContent
  extends Pick<PageContent, 'language' | 'mark' | 'notice' | 'formName' | 'look'> {
  /** What the button says; null: there is nothing left to do. */
  readonly button: string | null;
}

export interface VisitorPages {
  render(content: PageContent): string;
  renderAction(content: ActionContent): string;
  /** The same words without a page around them, for a script that puts them into its own page. */
  renderFragment(
    content: Pick<PageContent, 'language' | 'mark' | 'notice' | 'detail' | 'violations'>,
  ): string;
  /** The headers of a page, with those that the answer already has. */
  headersFor(language: Language, headers: OutgoingHttpHeaders, look: PageLook): OutgoingHttpHeaders;
  /** Its address is a secret, and nobody may show it in a frame to have its button pressed. */
  actionHeadersFor(language: Language, look: PageLook): OutgoingHttpHeaders;
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
  const policyFor = ({ styleSource, imagePolicy }: PageLook, rest: string): string =>
    `default-src 'none'; style-src 'self' ${base.origin}${styleSource}; ${imagePolicy}base-uri 'none'; ${rest}`;

  const headersFor = (
    language: Language,
    { vary, ...headers }: OutgoingHttpHeaders,
    policy: string,
  ): OutgoingHttpHeaders => ({
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'content-language': languageTags[language],
    vary: vary === undefined ? 'Accept-Language' : `${String(vary)}, Accept-Language`,
  });

  const pageHtml = (
    { language, mark, notice, formName, look }: Omit<ActionContent, 'button'>,
    rest: string,
  ): string => {
    const title = escapeHtml(notice.title);
    const name = formName === null ? '' : `<p class="name"><bdi>${textHtml(formName)}</bdi></p>\n`;
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
${rest}</main>
</body>
</html>
`;
  };
  const ownPath = `${base.pathname}f/`;

  return {
    render({ detail, violations, hasTyped, backTo, ...content }) {
      const words = pageWords[content.language];
      const technical =
        detail === null ? '' : `<p class="detail" lang="en"><bdi>${textHtml(detail)}</bdi></p>\n`;
      const hint = hasTyped ? words.typedIsKept : backTo === null ? words.useBackButton : null;
      const label = hasTyped ? words.leave : words.back;
      const link = backTo === null ? '' : `<a href="${escapeHtml(backTo)}" rel="noreferrer">${label}</a>\n`;
      return pageHtml(
        content,
        `${listHtml(violations)}${hint === null ? '' : `<p class="hint">${hint}</p>\n`}${link}${technical}`,
      );
    },

    renderAction: ({ button, ...content }) =>
      pageHtml(
        content,
        button === null
          ? ''
          : `<form method="post"><button type="submit">${escapeHtml(button)}</button></form>\n`,
      ),

    renderFragment({ language, mark, notice, detail, violations }) {
      const technical = detail === null ? '' : `<p lang="en">${textHtml(detail)}</p>`;
      return (
        `<div class="inlet-response inlet-${mark}" role="status" lang="${languageTags[language]}">` +
        `<p><strong>${escapeHtml(notice.title)}</strong></p><p>${escapeHtml(notice.text)}</p>${listHtml(violations).trimEnd()}${technical}</div>\n`
      );
    },

    headersFor: (language, headers, look) =>
      headersFor(language, headers, policyFor(look, "form-action 'none'; frame-ancestors *")),

    actionHeadersFor: (language, look) =>
      headersFor(
        language,
        { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' },
        policyFor(look, "form-action 'self'; frame-ancestors 'none'"),
      ),

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
