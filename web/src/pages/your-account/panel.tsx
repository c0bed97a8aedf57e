/** A part of the page, with an address of its own. */
import { Box, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAnchor } from '../../navigation.js';

interface PanelProps {
  readonly id: string;
  readonly title: string;
  readonly description: ReactNode;
  readonly children: ReactNode;
}

export const Panel = ({ id, title, description, children }: PanelProps) => (
  <Box
    component="section"
    ref={useAnchor(id)}
    id={id}
    tabIndex={-1}
    className="panel"
    p="md"
    aria-labelledby={`${id}-title`}
  >
    <Title order={2} id={`${id}-title`}>
      {title}
    </Title>
    <Text size="sm" c="dimmed" mb="md">
      {description}
    </Text>
    {children}
  </Box>
);
