/** A mail in the owner's own words: the destination's templates, rendered for the submission. */
import { escapeHtml } from '../../../kernel/html.js';
import { cut, manyLines, oneLine } from '../../../kernel/shown-text.js';
import type { EmailSettings } from '../../../model/email-settings.js';
import type { MailMessage } from '../../../ports/mailer.js';
import { multiLineHtml } from './html.js';
import type { MailedFile } from './message.js';

/** Every value passes through `encode`. The template's own text does not. */
export type RenderTemplate = (template: string, encode: (value: string) => string) => string;

const maxValueChars = 10_000;
const maxSubjectChars = 250;

const asText = (value: string): string => manyLines(cut(value, maxValueChars));
const asHtml = (value: string): string => escapeHtml(asText(value)).replace(/\n/g, '<br>');
const asLine = (value: string): string => oneLine(value, maxSubjectChars);

/** Returns what replaces our own text. Without an HTML template, the HTML is made from the text template; not the reverse. */
export function templated(
  { subject, text, html }: EmailSettings,
  render: RenderTemplate,
  unattached: readonly MailedFile[],
): Partial<Pick<MailMessage, 'subject' | 'text' | 'html'>> {
  const links = unattached.flatMap(({ filename, link }) =>
    link === null ? [] : [{ filename: oneLine(filename, 200), link }],
  );
  const linksText = links.map(({ filename, link }) => `\n${filename}: ${link}\n`).join('');
  const linksHtml = links
    .map(({ filename, link }) => `<p><a href="${escapeHtml(link)}">${escapeHtml(filename)}</a></p>\n`)
    .join('');
  const ownText = text === null ? null : render(text, asText);
  const ownHtml = html === null ? (ownText === null ? null : multiLineHtml(ownText)) : render(html, asHtml);
  // A subject that its values left empty is useless in an inbox, so ours stays.
  const ownSubject = subject === null ? '' : oneLine(render(subject, asLine), maxSubjectChars);
  return {
    ...(ownSubject === '' ? {} : { subject: ownSubject }),
    ...(ownText === null ? {} : { text: `${ownText.trimEnd()}\n${linksText}` }),
    ...(ownHtml === null ? {} : { html: wholeHtml(ownHtml, linksHtml) }),
  };
}

const style =
  "margin:0;padding:24px 20px;font:15px/1.53 -apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;" +
  'overflow-wrap:anywhere;word-break:break-word;color-scheme:light dark';

/** A complete page stays as its owner wrote it. A fragment becomes a page in the reader's colour scheme. */
function wholeHtml(html: string, links: string): string {
  // A replacer function: in a string, `$` in a filename would insert parts of the page.
  if (/<(?:!doctype|html|body)\b/i.test(html)) return html.replace(/(?=<\/body>|<\/html>)|$/i, () => links);
  return (
    '<!doctype html>\n<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">' +
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"></head>\n' +
    `<body style="${style}"><div dir="auto" style="max-width:600px;margin:0 auto">\n${html}\n${links}</div></body></html>\n`
  );
}
