/** Visitor text, rendered as text with its writing direction isolated. Links only where they are harmless. */
import { Anchor } from '@mantine/core';
import { shownCharacters } from './hidden-characters.js';
import { linkOf } from './links.js';

/** Reordering and invisible characters are written out; `bdi` isolates the direction. For attributes, use `shownCharacters` directly. */
export const Untrusted = ({ children }: { readonly children: string | null | undefined }) => (
  <bdi className="untrusted">{shownCharacters(children ?? '')}</bdi>
);

export function UntrustedLink({ text }: { readonly text: string }) {
  const target = linkOf(text);
  if (target === null) return <Untrusted>{text}</Untrusted>;
  return (
    <Anchor href={target} target="_blank" rel="noopener noreferrer nofollow" inherit>
      <Untrusted>{text}</Untrusted>
    </Anchor>
  );
}
