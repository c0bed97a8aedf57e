/** An empty list says what it is for and what to do. */
import { EmptyState } from '@mantine/core';
import type { ReactNode } from 'react';

interface NothingYetProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons. */
  readonly actions?: ReactNode;
}

export const NothingYet = ({ icon, title, children, actions }: NothingYetProps) => (
  <EmptyState py={48} icon={icon} title={title} description={children} maw={560} mx="auto">
    {actions && <EmptyState.Actions>{actions}</EmptyState.Actions>}
  </EmptyState>
);
