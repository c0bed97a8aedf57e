/** The layout of every mail as plain text. */
import type { MailButton, MailFrame } from '../../../model/letter.js';

/** Parts consist of whole lines, each with its line break. Empty parts are left out. */
export const frameText = (
  { overline, heading, lead, footer }: MailFrame,
  parts: readonly string[],
): string => {
  const head = [heading, overline, lead].filter((text) => text !== '').map((text) => `${text}\n`);
  // Mail programs omit what follows this line from a reply.
  const foot = footer.length === 0 ? '' : `-- \n${footer.join('\n\n')}\n`;
  return [head.join(''), ...parts, foot].filter((part) => part !== '').join('\n');
};

export const buttonText = ({ label, link }: MailButton): string => `${label}:\n${link}\n`;
