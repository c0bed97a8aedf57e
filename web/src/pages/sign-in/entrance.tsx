/** The frame of the pages before sign-in. */
import { Box, Center, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Logo } from '../../ui/logo.js';
import * as session from '../../words/session.js';

interface EntranceProps {
  readonly title: string;
  readonly words?: ReactNode;
  /** For content wider than a form with a few fields. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

export function Entrance({ title, words, isWide = false, children }: EntranceProps) {
  useDocumentTitle(session.windowTitle(title));
  return (
    <Center component="main" mih="100vh" bg="var(--inlet-surface)" p="md">
      <Stack gap="lg" w="100%" maw={isWide ? 640 : 400}>
        <Center>
          <Logo size={32} />
        </Center>
        <Box className="panel" p={{ base: 'lg', xs: 'xl' }}>
          <Title order={1} mb={words === undefined ? 'lg' : 4}>
            {title}
          </Title>
          {words !== undefined && (
            <Text size="sm" c="dimmed" mb="lg">
              {words}
            </Text>
          )}
          {children}
        </Box>
      </Stack>
    </Center>
  );
}
