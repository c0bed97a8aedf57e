/** The sticky header of a page: breadcrumbs, title, status and actions. */
import { Anchor, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import * as words from '../words/shell.js';
import { shownCharacters } from './hidden-characters.js';
import { Untrusted } from './untrusted.js';

interface PageHeadProps {
  readonly title: string;
  /** Breadcrumbs, outermost first, without this page. */
  readonly trail?: readonly { readonly label: string; readonly to: string }[];
  /** Beside the title: badges, an address. */
  readonly aside?: ReactNode;
  /** On the right: buttons. */
  readonly actions?: ReactNode;
  /** Below the row; scrolls with the page. */
  readonly children?: ReactNode;
}

const Trail = ({ trail }: Required<Pick<PageHeadProps, 'trail'>>) => (
  <nav aria-label={words.breadcrumbs}>
    {trail.map(({ label, to }) => (
      <Fragment key={to}>
        {/* When squeezed, it stays recognisable. `ch` is slightly wider than most letters. */}
        <Anchor component={Link} href={to} miw={`${0.75 * Math.min(label.length, 9)}ch`}>
          <Untrusted>{label}</Untrusted>
        </Anchor>
        <span aria-hidden="true">/</span>
      </Fragment>
    ))}
  </nav>
);

export function PageHead({ title, trail, aside, actions, children }: PageHeadProps) {
  const shown = shownCharacters(title);
  useDocumentTitle(words.documentTitle(shown));
  return (
    <>
      <div className="page-head">
        <div className="page-title">
          {trail && <Trail trail={trail} />}
          <Title order={1} title={shown}>
            <Untrusted>{title}</Untrusted>
          </Title>
        </div>
        <div className="page-facts">{aside}</div>
        {actions && <div className="page-actions">{actions}</div>}
      </div>
      {children && <div className="page-below">{children}</div>}
    </>
  );
}
