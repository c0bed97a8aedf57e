/** A name that opens its row: the whole row is the link. Long names are cut after three lines. */

import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Untrusted } from './untrusted.js';

interface RowLinkProps {
  readonly href: string;
  readonly name: string;
}

export const RowLink = ({ href, name }: RowLinkProps) => (
  <Anchor component={Link} href={href} className="row-link three-lines" inherit c="inherit">
    <Untrusted>{name}</Untrusted>
  </Anchor>
);
