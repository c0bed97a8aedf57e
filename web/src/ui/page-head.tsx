/** The head of a page: where one is, what it is called, and what can be done here. */
import { Anchor, Breadcrumbs, Group, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { shownCharacters } from './hidden-characters.js';
import { Untrusted } from './untrusted.js';

interface PageHeadProps {
  readonly title: string;
  /** From the outside in, without this page. */
  readonly trail?: readonly { readonly label: string; readonly to: string }[];
  /** Beside the title: badges. */
  readonly aside?: ReactNode;
  /** At the right: buttons. */
  readonly actions?: ReactNode;
  /** Below the title. */
  readonly children?: ReactNode;
}

export function PageHead({ title, trail, aside, actions, children }: PageHeadProps) {
  useDocumentTitle(shownCharacters(`${title} · Inlet`));
  return (
    <Stack gap={6} mb="lg">
      {trail && (
        <Breadcrumbs
          separatorMargin={6}
          styles={{
            root: { flexWrap: 'wrap' },
            breadcrumb: { overflowWrap: 'anywhere', whiteSpace: 'normal' },
          }}
        >
          {trail.map(({ label, to }) => (
            <Anchor key={to} component={Link} href={to} size="sm" c="dimmed">
              <Untrusted>{label}</Untrusted>
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <Group justify="space-between" gap="sm">
        <Group gap="sm" style={{ minWidth: 0 }}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            <Untrusted>{title}</Untrusted>
          </Title>
          {aside}
        </Group>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
