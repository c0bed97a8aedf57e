/** Text that a visitor wrote: shown as text, its writing direction kept to itself; links only where they are harmless. */
import { Anchor } from '@mantine/core';
import { shownCharacters } from './hidden-characters.js';
import { linkOf } from './links.js';

/** What reorders or hides is written out; the direction that is left stays inside the element. Attributes take `shownCharacters` itself. */
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
