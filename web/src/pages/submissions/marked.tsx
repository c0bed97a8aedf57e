/** Untrusted text with search matches highlighted. Text in, text out: never parsed as HTML. */
import type { ReactNode } from 'react';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { Untrusted } from '../../ui/untrusted.js';
import { matchesIn } from './matches.js';

interface MarkedProps {
  readonly text: string;
  readonly words: readonly string[];
}

export function Marked({ text, words }: MarkedProps) {
  if (words.length === 0) return <Untrusted>{text}</Untrusted>;
  const shown = shownCharacters(text);
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of matchesIn(shown, words)) {
    parts.push(
      shown.slice(end, match.start),
      <mark key={match.start}>{shown.slice(match.start, match.end)}</mark>,
    );
    end = match.end;
  }
  return (
    <bdi className="untrusted">
      {parts}
      {shown.slice(end)}
    </bdi>
  );
}
