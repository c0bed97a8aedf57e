/**
 * The notification as HTML. Mail programs remove style sheets, so every style stands at its element; no colours of
 * text and paper are set, so that light and dark are the reader's own. Nothing is loaded from anywhere, and all text
 * passes through `escapeHtml`.
 */
import { escapeHtml } from '../../../kernel/html.js';
import { nothing } from '../../../kernel/value-text.js';
import { type Frame, type ShownField, type ShownFile, sentences } from './content.js';

const sans = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const mono = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";
// Faded, not grey: it keeps its contrast on any paper.
const quiet = 'opacity:.68';
const breaks = 'overflow-wrap:anywhere;word-break:break-word';
// The second colour is for programs that know transparency; it shows on white and on black.
const line = '1px solid #d5dadb;border-top-color:rgba(127,140,142,.32)';
const accent = '#0f7b78';

/** Keeps line breaks and indents; `white-space` would do it alone, but Outlook does not know it. */
const multiLine = (text: string): string =>
  escapeHtml(text)
    .replace(
      /^ +| {2,}/gm,
      (spaces) => '\u00a0'.repeat(spaces.length - 1) + (spaces.length === 1 ? '\u00a0' : ' '),
    )
    .replace(/\n/g, '<br>');

const text15 = 'font-size:15px;line-height:23px';
const column = 'display:inline-block;vertical-align:top;width:100%';

/** Two columns where there is room, one below the other on a telephone. Short, because there may be 200 of it. */
export function fieldHtml({ name, value, note }: ShownField): string {
  // So that long_names_of_fields end their lines between words.
  const label = escapeHtml(name).replace(/_/g, '_<wbr>');
  const shown = value === '' ? `<span style="${quiet}">${nothing}</span>` : multiLine(value);
  const about =
    note === null ? '' : `<div style="font-size:13px;line-height:20px;${quiet}">${escapeHtml(note)}</div>`;
  return (
    `<tr><td style="padding:12px 0;border-top:${line}">` +
    `<div dir="auto" style="${column};max-width:152px;margin-right:16px;font-size:13px;${quiet}">${label}</div>` +
    `<div dir="auto" style="${column};max-width:392px;text-align:start">${shown}${about}</div></td></tr>\n`
  );
}

export function fileHtml({ filename, about, link }: ShownFile): string {
  const name = escapeHtml(filename);
  const shown = link === null ? name : `<a href="${escapeHtml(link)}" style="${linkStyle}">${name}</a>`;
  return (
    `<tr><td style="padding:12px 0;border-top:${line}">` +
    `<div dir="auto" style="font-weight:600;text-align:start">${shown}</div>` +
    `<div dir="auto" style="font-size:13px;line-height:20px;text-align:start;${quiet}">${escapeHtml(about)}</div></td></tr>\n`
  );
}

const linkStyle = `color:inherit;text-decoration:underline;text-decoration-color:${accent};text-underline-offset:3px`;

const table = (rows: string): string =>
  '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" ' +
  `style="border-collapse:collapse;width:100%">\n${rows}</table>\n`;

const small = (text: string): string =>
  `<tr><td style="padding:12px 0;border-top:${line};${text15};${quiet}">${text}</td></tr>\n`;

export interface Rows {
  readonly rows: readonly string[];
  readonly leftOut: number;
}

export function mailHtml(frame: Frame, fields: Rows, files: Rows): string {
  const { formName, projectName, preview, receivedAt, replyTo, link, facts } = frame;
  const fieldRows =
    fields.rows.join('') +
    (fields.leftOut > 0 ? small(sentences.moreFields(fields.leftOut)) : '') +
    (fields.rows.length === 0 && fields.leftOut === 0 ? small(sentences.noFields) : '');
  const fileRows = files.rows.join('') + (files.leftOut > 0 ? small(sentences.moreFiles(files.leftOut)) : '');
  const fileCount = files.rows.length + files.leftOut;
  const factRows = facts
    .map(
      ({ label, text }) =>
        `<tr><td style="padding:2px 16px 2px 0;vertical-align:top;white-space:nowrap">${escapeHtml(label)}</td>` +
        `<td dir="auto" style="padding:2px 0;vertical-align:top;text-align:left;${mono};font-size:12px">${escapeHtml(text)}</td></tr>\n`,
    )
    .join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no"><title>${escapeHtml(formName)}</title></head>
<body style="margin:0;padding:0;color-scheme:light dark;-webkit-text-size-adjust:100%;text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;opacity:0;mso-hide:all">${escapeHtml(preview)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">
<tr><td align="center" style="padding:32px 20px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;width:100%;max-width:560px;table-layout:fixed">
<tr><td align="left" style="text-align:left;${sans};${text15};${breaks}">
<div style="width:32px;height:4px;margin:0 0 20px;border-radius:2px;background-color:${accent};font-size:0;line-height:0">&nbsp;</div>
<div dir="auto" style="font-size:13px;line-height:20px;${quiet}">${escapeHtml(projectName)}</div>
<h1 dir="auto" style="margin:4px 0 4px;font-size:24px;line-height:31px;font-weight:650;letter-spacing:-.01em">${escapeHtml(formName)}</h1>
<div style="margin:0 0 24px;${quiet}">New submission, ${escapeHtml(receivedAt)}</div>
${table(fieldRows)}${fileCount === 0 ? '' : `<h2 style="margin:20px 0 12px;font-size:15px;line-height:23px;font-weight:650">${fileCount === 1 ? '1 file' : `${fileCount} files`}</h2>\n${table(fileRows)}`}<div style="border-top:${line};padding-top:24px">
${link === null ? '' : button(link)}${replyTo === null ? '' : `<div style="margin:0 0 24px">${escapeHtml(sentences.replyTo(replyTo))}</div>\n`}</div>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;font-size:13px;line-height:20px;${quiet}">
${factRows}</table>
<div style="margin:24px 0 0;padding:16px 0 0;border-top:${line};font-size:13px;line-height:20px">
<div style="margin:0 0 8px;${quiet}">${escapeHtml(sentences.care)}</div>
<div style="${quiet}">${escapeHtml(sentences.why(frame))}</div></div>
</td></tr></table>
</td></tr></table>
</body></html>
`;
}

const button = (link: string): string =>
  '<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px"><tr>' +
  `<td style="border-radius:6px;background-color:${accent}"><a href="${escapeHtml(link)}" ` +
  'style="display:inline-block;padding:10px 18px;color:#ffffff;font-weight:600;text-decoration:none">' +
  `${sentences.open}</a></td></tr></table>\n`;
