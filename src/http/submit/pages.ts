/** The small pages that a visitor without JavaScript sees. No script, nothing from outside, under 5 kB. */
import { createHash } from 'node:crypto';

const style = `
:root{color-scheme:light dark;--ink:#1c2426;--quiet:#5b6669;--paper:#f5f7f7;--card:#fff;--line:#dde3e4;--accent:#0f6e6e}
@media(prefers-color-scheme:dark){:root{--ink:#e6ecec;--quiet:#9aa6a8;--paper:#14191a;--card:#1c2324;--line:#2d3638;--accent:#5cc4c0}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}
main{max-width:26rem;margin:16px;padding:32px;background:var(--card);border:1px solid var(--line);border-radius:12px}
p{margin:0 0 12px}p.name{color:var(--quiet);font-size:14px}h1{margin:0 0 12px;font-size:22px;line-height:1.25}
a{color:var(--accent)}
`;

const styleHash = createHash('sha256').update(style).digest('base64');

export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

export interface PageContent {
  readonly title: string;
  readonly text: string;
  readonly formName: string | null;
  /** Where "back" leads; only http and https addresses are linked. */
  readonly backTo: string | null;
}

export function renderPage({ title, text, formName, backTo }: PageContent): string {
  const back =
    backTo !== null && /^https?:\/\//i.test(backTo)
      ? `<p><a href="${escapeHtml(backTo)}" rel="noreferrer">Back to the page</a></p>`
      : '';
  const name = formName === null ? '' : `<p class="name">${escapeHtml(formName)}</p>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main>${name}<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${back}</main></body></html>
`;
}
