/** Shown in place of an empty or failed list: what it is for or what went wrong, and what to do. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DocumentLink, type DocumentPlace } from '../help/document-link.js';
import * as common from '../words/common.js';

interface NothingYetProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
  /** The documentation page about it. */
  readonly document?: DocumentPlace | undefined;
  readonly documentWords?: string;
  /** Buttons. */
  readonly actions?: ReactNode;
  /** It replaces requested content, so screen readers announce it. */
  readonly isAlert?: boolean;
}

export const NothingYet = ({
  icon,
  title,
  children,
  document,
  documentWords = common.learnMore,
  actions,
  isAlert = false,
}: NothingYetProps) => (
  <div className="nothing-yet" {...(isAlert && { role: 'alert' })}>
    {icon}
    <Text size="lg" fw={600}>
      {title}
    </Text>
    <Text c="dimmed" component="div">
      {children}
    </Text>
    {document && (
      <Text size="sm">
        <DocumentLink place={document}>{documentWords}</DocumentLink>
      </Text>
    )}
    {actions && <div className="nothing-yet-actions">{actions}</div>}
  </div>
);
