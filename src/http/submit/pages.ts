/**
 * The small pages that a visitor without JavaScript sees: one card, no script, under 5 kB with their stylesheet. Everything that a
 * visitor wrote is escaped: names can neither open a tag nor change the writing direction of what follows.
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
  /** The errors of the fields, one by one. */
  readonly violations: readonly PageViolation[];
  /** The visitor filled in a form that was rejected. */
  readonly hasTyped: boolean;
  /** Where the link back leads, see `pageBefore`. */
  readonly backTo: string | null;
  readonly look: PageLook;
}

/** A page that a link in a mail opens: a text, and one button that posts to the page's own URL. */
export interface ActionContent
  extends Pick<PageContent, 'language' | 'mark' | 'notice' | 'formName' | 'look'> {
  /** The label of the button; null: there is nothing left to do. */
  readonly button: string | null;
}

export interface VisitorPages {
  render(content: PageContent): string;
  renderAction(content: ActionContent): string;
  /** The same words without a page around them, for a script that puts them into its own page. */
  renderFragment(
    content: Pick<PageContent, 'language' | 'mark' | 'notice' | 'detail' | 'violations'>,
  ): string;
  /** The headers of a page, including the given ones of the response. */
  headersFor(language: Language, headers: OutgoingHttpHeaders, look: PageLook): OutgoingHttpHeaders;
  /** The URL is a secret, and no site may frame the page to make visitors press its button. */
  actionHeadersFor(language: Language, look: PageLook): OutgoingHttpHeaders;
  /** The page that a visitor came from, or null if it cannot be linked to. */
  pageBefore(referer: string | undefined, host: string | undefined): string | null;
}

/** Characters that hide or reorder text are written out: owners type the names of forms, and visitors send details. */
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

/** Longer ones would make the page too large. Browsers themselves truncate a Referer at 4,096. */
const maxLinkLength = 2_048;

/** `baseUrl` is the public URL of this instance. It may contain a path. */
export function createVisitorPages(baseUrl: string): VisitorPages {
  const base = new URL(`${baseUrl}/`);
  const styleUrl = escapeHtml(new URL(visitorStylePath, base).href);
  // The page may be requested under a host other than that of the base URL, from which the stylesheet comes. A form that a website frames
  // ends on this page in the same frame. It has nothing to click but a link back, so any site may frame it.
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
      // Credentials before the @ make a URL look like that of another site.
      [page.username, page.password] = ['', ''];
      // Our own pages are what the visitor wants to leave.
      const isOurs =
        (page.origin === base.origin && page.pathname.startsWith(ownPath)) ||
        (page.host === host && page.pathname.startsWith('/f/'));
      return isOurs || page.href.length > maxLinkLength ? null : page.href;
    },
  };
}
