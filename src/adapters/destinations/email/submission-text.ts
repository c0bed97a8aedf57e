/** The notification as plain text. Every line of a visitor is indented, so none can pass for a line of ours. */

import { nothing } from '../../../kernel/value-text.js';
import { type Frame, notificationFrame, type ShownField, type ShownFile, sentences } from './content.js';
import type { Rows } from './submission-html.js';
import { buttonText, frameText } from './text.js';

const oneLineChars = 72;

export function fieldText({ name, value, note }: ShownField): string {
  const about = note === null ? '' : `  [${note}]\n`;
  const text = value === '' ? nothing : value;
  if (!text.includes('\n') && name.length + text.length <= oneLineChars) return `${name}: ${text}\n${about}`;
  const lines = text.split('\n').map((line) => `  ${line}`.trimEnd());
  return `${name}:\n${lines.join('\n')}\n${about}`;
}

export const fileText = ({ filename, about, link }: ShownFile): string =>
  `- ${filename} (${about})\n${link === null ? '' : `  ${link}\n`}`;

export function mailText(frame: Frame, fields: Rows, files: Rows): string {
  const { replyTo, link, facts } = frame;
  const fileCount = files.rows.length + files.leftOut;
  return frameText(notificationFrame(frame), [
    fields.rows.join('') || (fields.leftOut === 0 ? `${sentences.noFields}\n` : ''),
    fields.leftOut > 0 ? `${sentences.moreFields(fields.leftOut)}\n` : '',
    fileCount > 0 ? `${sentences.files(fileCount)}:\n${files.rows.join('')}` : '',
    files.leftOut > 0 ? `${sentences.moreFiles(files.leftOut)}\n` : '',
    link === null ? '' : buttonText({ label: sentences.open, link }),
    replyTo === null ? '' : `${sentences.replyTo(replyTo)}\n`,
    facts.map(({ label, text }) => `${label}: ${text}\n`).join(''),
  ]);
}
