/** The page of forms to try, with the mails that the demo has sent. */
import { escapeHtml } from '../../kernel/html.js';
import type { ReceivedMail } from './mails.js';

export interface FormToTry {
  readonly name: string;
  readonly url: string;
  readonly hint: string;
}

export interface TryPage {
  readonly dashboardUrl: string;
  readonly forms: readonly FormToTry[];
}

const mostMails = 20;

const formItem = ({ name, url, hint }: FormToTry): string =>
  `<li><a href="${escapeHtml(url)}" target="_blank" rel="noreferrer">${escapeHtml(name)}</a><p>${escapeHtml(hint)}</p></li>`;

/** Turns addresses in the text into links, so that the link of a double opt-in can be followed. */
const linked = (text: string): string =>
  escapeHtml(text).replace(
    /https?:\/\/(?:&amp;|[^\s<>&])+/g,
    '<a href="$&" target="_blank" rel="noreferrer">$&</a>',
  );

const mailItem = ({ to, subject, text }: ReceivedMail, index: number): string =>
  `<li><details${index === 0 ? ' open' : ''}><summary>${escapeHtml(subject)} <small>to ${escapeHtml(to)}</small></summary><pre>${linked(text)}</pre></details></li>`;

export const tryPageHtml = (
  { dashboardUrl, forms }: TryPage,
  mails: readonly ReceivedMail[],
): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Forms to try · Inlet demo</title>
<style>
:root { color-scheme: light dark; --accent: light-dark(#0b6e6e, #5cc8c2); --line: light-dark(#dde1e4, #3a4046); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 32px 16px; }
h1 { font-size: 24px; } h2 { font-size: 18px; margin-top: 32px; }
ul { list-style: none; padding: 0; } li { border-top: 1px solid var(--line); padding: 12px 0; }
p { margin: 4px 0; } a { color: var(--accent); } small { opacity: .75; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
<h1>Forms to try</h1>
<p>Each opens in a new tab. Watch your submission arrive in the <a href="${escapeHtml(dashboardUrl)}" target="_blank" rel="noreferrer">dashboard</a>.</p>
<ul>${forms.map(formItem).join('')}</ul>
<h2>E-mail</h2>
<p>The demo sends no e-mail. These are the last ${mostMails} it would have sent. Reload the page to see new ones.</p>
<ul>${mails.slice(0, mostMails).map(mailItem).join('') || '<li>None yet.</li>'}</ul>
</html>
`;
