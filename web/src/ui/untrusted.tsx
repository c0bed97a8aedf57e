/** Text that a stranger wrote: shown as text, its writing direction kept to itself; links only where they are harmless. */
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { linkOf } from './links.js';

/**
 * Characters that turn the writing direction are named instead of obeyed: `abc<U+202E>gnp.exe` would read as a picture.
 * Texts that are written from right to left need none of them.
 */
export const namedDirections = (text: string): string =>
  text.replace(
    /[\u202a-\u202e\u2066-\u2069]/g,
    (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase()}]`,
  );

/** What turns inside would otherwise turn around what stands beside the text. */
export const Untrusted = ({ children }: { readonly children: ReactNode }) => (
  <bdi className="untrusted">{typeof children === 'string' ? namedDirections(children) : children}</bdi>
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
