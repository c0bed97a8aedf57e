/** Shared by the pages behind e-mailed links: a link without its token, and the result. */
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Untrusted } from '../../ui/untrusted.js';
import * as words from '../../words/entrance.js';
import { Entrance } from '../sign-in/entrance.js';

export const IncompleteLink = () => (
  <Entrance title={words.linkIncomplete}>
    <Text size="sm">{words.linkIncompleteHint}</Text>
  </Entrance>
);

interface LinkDoneProps {
  readonly title: string;
  readonly hint: (email: ReactNode) => ReactNode;
  readonly email: string;
  /** The next step. */
  readonly children: ReactNode;
}

export const LinkDone = ({ title, hint, email, children }: LinkDoneProps) => (
  <Entrance title={title}>
    <Stack gap="md">
      <Text size="sm" role="status">
        {hint(
          <b>
            <Untrusted>{email}</Untrusted>
          </b>,
        )}
      </Text>
      {children}
    </Stack>
  </Entrance>
);
