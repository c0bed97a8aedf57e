/** What stands where something could not be shown: what happened, and the next step. */
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api.js';
import { NothingYet } from './nothing-yet.js';

interface ProblemStateProps {
  readonly error: unknown;
  readonly title?: string;
  readonly retry?: () => void;
  readonly retryLabel?: string;
}

const titleOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'This could not be shown';
  if (error.status === 0) return 'No connection to the server';
  if (error.status === 404) return 'Not found';
  if (error.status === 403) return 'Not allowed';
  if (error.status === 429) return 'Too many requests';
  return 'This could not be loaded';
};

export function ProblemState({ error, title, retry, retryLabel = 'Try again' }: ProblemStateProps) {
  const words = error instanceof Error ? error.message : 'Something unexpected happened in this page.';
  return (
    <NothingYet
      isAlert
      icon={<IconAlertTriangle color="var(--state-failed)" />}
      title={title ?? titleOf(error)}
      actions={
        retry && (
          <Button variant="default" onClick={retry}>
            {retryLabel}
          </Button>
        )
      }
    >
      {words}
    </NothingYet>
  );
}
