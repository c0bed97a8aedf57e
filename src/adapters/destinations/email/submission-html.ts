/** The notification as HTML, in the common layout. */
import { escapeHtml } from '../../../kernel/html.js';
import { type Frame, notificationFrame, type ShownField, type ShownFile } from './content.js';
import {
  afterRowsHtml,
  buttonHtml,
  factsHtml,
  frameHtml,
  headingHtml,
  linkHtml,
  multiLineHtml,
  noteRowHtml,
  quiet,
  rowHtml,
  tableHtml,
  text13,
  unsubscribeHtml,
} from './html.js';
import { mailWords } from './words.js';

const column = 'display:inline-block;vertical-align:top';
/** At its minimum width beside the value when the mail has its 560 pixels. On narrower screens, a full line above it. */
const nameColumn = `${column};width:calc(5040px - 900%);min-width:160px;max-width:100%;margin-right:8px`;

/** Two columns where there is room, stacked on a phone. Short, because a mail may have 200 of them. */
export function fieldHtml({ name, value, empty, note }: ShownField): string {
  // Lets long_names_of_fields wrap between words.
  const label = escapeHtml(name).replace(/_/g, '_<wbr>');
  const shown = value === '' ? `<span style="${quiet}">${escapeHtml(empty)}</span>` : multiLineHtml(value);
  const about = note === null ? '' : `<div style="${text13};${quiet}">${escapeHtml(note)}</div>`;
  return rowHtml(
    `<div dir="auto" style="${nameColumn};font-size:13px;${quiet}">${label}</div>` +
      `<div dir="auto" style="${column};width:100%;max-width:392px;text-align:start">${shown}${about}</div>`,
  );
}

export const fileHtml = ({ filename, about, link }: ShownFile): string =>
  rowHtml(
    `<div dir="auto" style="font-weight:600;text-align:start">${link === null ? escapeHtml(filename) : linkHtml(link, filename)}</div>` +
      `<div dir="auto" style="${text13};text-align:start;${quiet}">${escapeHtml(about)}</div>`,
  );

export interface Rows {
  readonly rows: readonly string[];
  readonly leftOut: number;
}

export function mailHtml(frame: Frame, fields: Rows, files: Rows): string {
  const { language, repliesTo, link, facts, unsubscribeUrl } = frame;
  const words = mailWords[language];
  const fieldRows =
    fields.rows.join('') +
    (fields.leftOut > 0 ? noteRowHtml(words.moreFields(fields.leftOut)) : '') +
    (fields.rows.length === 0 && fields.leftOut === 0 ? noteRowHtml(words.noFields) : '');
  const fileRows =
    files.rows.join('') + (files.leftOut > 0 ? noteRowHtml(words.moreFiles(files.leftOut)) : '');
  const fileCount = files.rows.length + files.leftOut;
  const after =
    (link === null ? '' : buttonHtml({ link, label: words.open })) +
    (repliesTo === null
      ? ''
      : `<div style="margin:0 0 24px">${escapeHtml(words.replyTo(repliesTo))}</div>\n`);
  return frameHtml(
    notificationFrame(frame),
    tableHtml(fieldRows) +
      (fileCount === 0 ? '' : headingHtml(words.files(fileCount)) + tableHtml(fileRows)) +
      afterRowsHtml(after) +
      factsHtml(facts) +
      (unsubscribeUrl === null ? '' : unsubscribeHtml(unsubscribeUrl, words.unsubscribe)),
  );
}
