/**
 * The HTML layout of every mail: head, rows, button, footer. Mail programs remove style sheets, so all styles are inline.
 * Text and background colours are not set, so that light or dark mode is up to the reader. Nothing is loaded from anywhere,
 * and all text passes through `escapeHtml`.
 */
import { escapeHtml } from '../../../kernel/html.js';
import type { MailButton, MailFrame } from '../../../model/letter.js';

const sans = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const mono = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";
// Opacity instead of grey: it keeps its contrast on any background.
export const quiet = 'opacity:.68';
const breaks = 'overflow-wrap:anywhere;word-break:break-word';
// The second colour is for programs that support transparency. It is visible on white and on black.
const line = '1px solid #d5dadb;border-top-color:rgba(127,140,142,.32)';
const accent = '#0f7b78';
const text15 = 'font-size:15px;line-height:23px';
export const text13 = 'font-size:13px;line-height:20px';
const linkStyle = `color:inherit;text-decoration:underline;text-decoration-color:${accent};text-underline-offset:3px`;

/** `body` is HTML. */
export const frameHtml = (
  { language, preview, overline, heading, lead, footer }: MailFrame,
  body: string,
): string => `<!doctype html>
<html lang="${escapeHtml(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no"><title>${escapeHtml(heading)}</title></head>
<body style="margin:0;padding:0;color-scheme:light dark;-webkit-text-size-adjust:100%;text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;opacity:0;mso-hide:all">${escapeHtml(preview)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">
<tr><td align="center" style="padding:32px 20px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;width:100%;max-width:560px;table-layout:fixed">
<tr><td align="left" style="text-align:left;${sans};${text15};${breaks}">
<div style="width:32px;height:4px;margin:0 0 20px;border-radius:2px;background-color:${accent};font-size:0;line-height:0">&nbsp;</div>
${overline === '' ? '' : `<div dir="auto" style="${text13};${quiet}">${escapeHtml(overline)}</div>\n`}<h1 dir="auto" style="margin:4px 0 ${lead === '' ? 16 : 4}px;font-size:24px;line-height:31px;font-weight:650;letter-spacing:-.01em">${escapeHtml(heading)}</h1>
${lead === '' ? '' : `<div style="margin:0 0 24px;${quiet}">${escapeHtml(lead)}</div>\n`}${body}<div style="margin:24px 0 0;padding:16px 0 0;border-top:${line};${text13}">
${footer.map((text) => `<div style="margin:0 0 8px;${quiet}">${escapeHtml(text)}</div>`).join('\n')}</div>
</td></tr></table>
</td></tr></table>
</body></html>
`;

/** An owner's HTML may use any font size. The relative line height keeps its lines from overlapping. */
export const ownHtml = (html: string): string => `<div style="line-height:1.53">\n${html}\n</div>\n`;

/** Keeps line breaks and indentation. `white-space` would be enough, but Outlook does not support it. */
export const multiLineHtml = (text: string): string =>
  escapeHtml(text)
    .replace(
      /^ +| {2,}/gm,
      (spaces) => '\u00a0'.repeat(spaces.length - 1) + (spaces.length === 1 ? '\u00a0' : ' '),
    )
    .replace(/\n/g, '<br>');

export const paragraphHtml = (text: string): string =>
  `<div dir="auto" style="margin:0 0 16px;text-align:start">${multiLineHtml(text)}</div>\n`;

export const headingHtml = (text: string): string =>
  `<h2 style="margin:20px 0 12px;font-size:15px;line-height:23px;font-weight:650">${escapeHtml(text)}</h2>\n`;

/** `rows` come from `rowHtml` and `noteRowHtml`. */
export const tableHtml = (rows: string): string =>
  '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" ' +
  `style="border-collapse:collapse;width:100%">\n${rows}</table>\n`;

export const rowHtml = (content: string): string =>
  `<tr><td style="padding:12px 0;border-top:${line}">${content}</td></tr>\n`;

export const noteRowHtml = (text: string): string =>
  `<tr><td style="padding:12px 0;border-top:${line};${text15};${quiet}">${escapeHtml(text)}</td></tr>\n`;

/** Content after a table, below its last line. */
export const afterRowsHtml = (content: string): string =>
  `<div style="border-top:${line};padding-top:24px">\n${content}</div>\n`;

/** In the colour of the text around it. */
export const linkHtml = (link: string, text: string): string =>
  `<a href="${escapeHtml(link)}" style="${linkStyle}">${escapeHtml(text)}</a>`;

export const buttonHtml = ({ link, label }: MailButton): string =>
  '<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px"><tr>' +
  `<td style="border-radius:6px;background-color:${accent}"><a href="${escapeHtml(link)}" ` +
  'style="display:inline-block;padding:10px 18px;color:#ffffff;font-weight:600;text-decoration:none">' +
  `${escapeHtml(label)}</a></td></tr></table>\n`;

export const unsubscribeHtml = (link: string, label: string): string =>
  `<div style="margin:16px 0 0;${text13};${quiet}">${linkHtml(link, label)}</div>\n`;

export const factsHtml = (facts: readonly { readonly label: string; readonly text: string }[]): string => {
  const rows = facts.map(
    ({ label, text }) =>
      `<tr><td style="padding:2px 16px 2px 0;vertical-align:top;white-space:nowrap">${escapeHtml(label)}</td>` +
      `<td dir="auto" style="padding:2px 0;vertical-align:top;text-align:left;${mono};font-size:12px">${escapeHtml(text)}</td></tr>\n`,
  );
  return (
    '<table role="presentation" cellpadding="0" cellspacing="0" border="0" ' +
    `style="border-collapse:collapse;${text13};${quiet}">\n${rows.join('')}</table>\n`
  );
};
