/** A panel of facts, each with its name, value and an explanation. */
import './facts.css';
import { Box, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Fact {
  readonly name: string;
  /** Needed when names repeat. */
  readonly id?: string;
  readonly value: ReactNode;
  readonly hint?: ReactNode;
}

export const Facts = ({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) => (
  <Box component="section" aria-label={title}>
    <Title order={2} pb="xs">
      {title}
    </Title>
    <dl className="facts">
      {facts.map(({ name, id = name, value, hint }) => (
        <div key={id} className="fact">
          <Text component="dt" size="sm">
            {name}
          </Text>
          <Text component="dd" size="sm">
            {value}
            {hint !== undefined && (
              <Text component="div" size="sm" c="dimmed">
                {hint}
              </Text>
            )}
          </Text>
        </div>
      ))}
    </dl>
  </Box>
);
