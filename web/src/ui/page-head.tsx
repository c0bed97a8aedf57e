/** The head of a page, one row that stays in sight: where one is, what it is called, how it is, and what can be done here. */
import { Anchor, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import * as words from '../words/shell.js';
import { shownCharacters } from './hidden-characters.js';
import { Untrusted } from './untrusted.js';

interface PageHeadProps {
  readonly title: string;
  /** From the outside in, without this page. */
  readonly trail?: readonly { readonly label: string; readonly to: string }[];
  /** Beside the title: badges, an address. */
  readonly aside?: ReactNode;
  /** At the right: buttons. */
  readonly actions?: ReactNode;
  /** Below the row; it scrolls with the page. */
  readonly children?: ReactNode;
}

const Trail = ({ trail }: Required<Pick<PageHeadProps, 'trail'>>) => (
  <nav aria-label={words.breadcrumbs}>
    {trail.map(({ label, to }) => (
      <Fragment key={to}>
        {/* Squeezed, it still shows enough to know it by; `ch` is somewhat wider than most letters. */}
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
