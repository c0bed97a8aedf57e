/** Text that a stranger wrote: shown as text, its writing direction kept to itself; links only where they are harmless. */
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';

/** U+202E and its like would otherwise turn around what stands beside the text. */
export const Untrusted = ({ children }: { readonly children: ReactNode }) => (
  <bdi className="untrusted">{children}</bdi>
);

const address = /^(?:https?:\/\/|mailto:)[^\s]+$/i;
const mailAddress = /^[^\s@<>"(),:;[\]\\]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;

/** Where a submitted text may lead: web and mail only, never `javascript:` or `data:`. */
export function linkOf(text: string): string | null {
  const trimmed = text.trim();
  if (mailAddress.test(trimmed)) return `mailto:${encodeURIComponent(trimmed).replaceAll('%40', '@')}`;
  if (!address.test(trimmed) || !URL.canParse(trimmed)) return null;
  const { protocol } = new URL(trimmed);
  return ['http:', 'https:', 'mailto:'].includes(protocol) ? trimmed : null;
}

export function UntrustedLink({ text }: { readonly text: string }) {
  const target = linkOf(text);
  if (target === null) return <Untrusted>{text}</Untrusted>;
  return (
    <Anchor href={target} target="_blank" rel="noopener noreferrer nofollow" inherit>
      <Untrusted>{text}</Untrusted>
    </Anchor>
  );
}
