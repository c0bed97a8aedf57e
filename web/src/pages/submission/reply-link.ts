/** A reply in the user's own mail program. Everything in it is untrusted visitor input, so all of it is encoded and bounded. */
import * as words from '../../words/submission.js';

interface ReplyParts {
  readonly address: string;
  readonly about: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Windows and several mail programs accept no longer link. */
const maxLength = 1_900;
const maxSubjectChars = 120;
const maxValueChars = 400;

/** A lone surrogate cannot be encoded. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();

/** `> name: value`, with every further line of the value quoted too. */
function quotedLines(name: string, value: unknown): readonly string[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const lines = `${oneLine(name)}: ${text.slice(0, maxValueChars)}`.split(/[\r\n\u2028\u2029]+/);
  return lines.map((line) => `> ${oneLine(line)}`);
}

/** Leaves `grace@example.com` as it is; a local part may contain characters with a meaning in a link. */
function encodedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${encoded(address.slice(0, at))}@${encoded(address.slice(at + 1))}`;
}

/** An encoded character takes up to nine characters, and so does the ellipsis. */
const beginningThatFits = (line: string, room: number): string => {
  const chars = Math.floor((room - encoded('\r\n…').length) / 9);
  return chars > 0 ? `\r\n${line.slice(0, chars)}…` : '';
};

export function replyLink({ address, about, data }: ReplyParts): string {
  const subject = words.replySubject(oneLine(about).slice(0, maxSubjectChars));
  let link = `mailto:${encodedAddress(address)}?subject=${encoded(subject)}&body=${encoded('\r\n')}`;
  for (const [name, value] of Object.entries(data)) {
    for (const line of quotedLines(name, value)) {
      const more = encoded(`\r\n${line}`);
      const room = maxLength - link.length;
      if (more.length > room) return link + encoded(beginningThatFits(line, room));
      link += more;
    }
  }
  return link;
}
