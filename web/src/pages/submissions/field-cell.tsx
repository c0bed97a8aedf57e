/** A field value in a list row, on one line, rendered by kind. */
import { previewOf } from '../../ui/bounded-text.js';
import { linkOf } from '../../ui/links.js';
import { ExactTime } from '../../ui/relative-time.js';
import { ValueChips } from '../../ui/value-chips.js';
import { chipsIn, momentIn } from '../../ui/value-kind.js';
import { yesOrNo } from '../../words/submissions.js';
import { Marked } from './marked.js';

interface FieldValueProps {
  readonly value: unknown;
  /** The words of the search. */
  readonly words: readonly string[];
}

/** The plain text of a cell, also for what replaces the cell. */
export const cellText = (value: unknown): string =>
  typeof value === 'boolean' ? yesOrNo(value) : previewOf(value);

function FieldValue({ value, words }: FieldValueProps) {
  const text = cellText(value);
  // Search matches are highlighted in the plain text.
  if (words.length > 0) return <Marked text={text} words={words} />;
  const moment = momentIn(value);
  if (moment !== null) return <ExactTime iso={moment} />;
  const chips = chipsIn(value);
  if (chips !== null) return <ValueChips values={chips} />;
  const link = typeof value === 'string' ? linkOf(text) : null;
  if (link === null) return <Marked text={text} words={words} />;
  return (
    // Not a tab stop: the keyboard opens the row, and its page has the same link.
    <a
      href={link}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="above field-link"
      tabIndex={-1}
    >
      <Marked text={text} words={words} />
    </a>
  );
}

export const FieldCell = ({ isNumber, ...value }: FieldValueProps & { readonly isNumber: boolean }) => (
  <td className={isNumber ? 'not-on-phone number' : 'not-on-phone'}>
    <FieldValue {...value} />
  </td>
);
