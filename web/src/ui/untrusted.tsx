/** Text that a stranger wrote: shown as text, its writing direction kept to itself; links only where they are harmless. */
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { linkOf } from './links.js';

/** U+202E and its like would otherwise turn around what stands beside the text. */
export const Untrusted = ({ children }: { readonly children: ReactNode }) => (
  <bdi className="untrusted">{children}</bdi>
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
