/** The notification as plain text. Values are indented or follow their field's name, so that none can pass for a line of ours. */

import { type Frame, notificationFrame, type ShownField, type ShownFile } from './content.js';
import type { Rows } from './submission-html.js';
import { buttonText, frameText } from './text.js';
import { mailWords } from './words.js';

const oneLineChars = 72;

export function fieldText({ name, value, empty, note }: ShownField): string {
  const about = note === null ? '' : `  [${note}]\n`;
  const text = value === '' ? empty : value;
  if (!text.includes('\n') && name.length + text.length <= oneLineChars) return `${name}: ${text}\n${about}`;
  const lines = text.split('\n').map((line) => `  ${line}`.trimEnd());
  return `${name}:\n${lines.join('\n')}\n${about}`;
}

export const fileText = ({ filename, about, link }: ShownFile): string =>
  `- ${filename} (${about})\n${link === null ? '' : `  ${link}\n`}`;

export function mailText(frame: Frame, fields: Rows, files: Rows): string {
  const { language, repliesTo, link, facts, unsubscribeUrl } = frame;
  const words = mailWords[language];
  const fileCount = files.rows.length + files.leftOut;
  return frameText(notificationFrame(frame), [
    fields.rows.join('') || (fields.leftOut === 0 ? `${words.noFields}\n` : ''),
    fields.leftOut > 0 ? `${words.moreFields(fields.leftOut)}\n` : '',
    fileCount > 0 ? `${words.files(fileCount)}:\n${files.rows.join('')}` : '',
    files.leftOut > 0 ? `${words.moreFiles(files.leftOut)}\n` : '',
    link === null ? '' : buttonText({ label: words.open, link }),
    repliesTo === null ? '' : `${words.replyTo(repliesTo)}\n`,
    facts.map(({ label, text }) => `${label}: ${text}\n`).join(''),
    unsubscribeUrl === null ? '' : buttonText({ label: words.unsubscribe, link: unsubscribeUrl }),
  ]);
}
