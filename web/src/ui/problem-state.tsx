/** Shown in place of content that failed to load: what happened, and the next step. */
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api.js';
import { errorPlace } from '../help/document-link.js';
import * as common from '../words/common.js';
import * as words from '../words/shell.js';
import { NothingYet } from './nothing-yet.js';

interface ProblemStateProps {
  readonly error: unknown;
  readonly title?: string;
  readonly retry?: () => void;
  readonly retryLabel?: string;
}

const titleOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return words.notShown;
  if (error.status === 0) return words.noConnection;
  if (error.status === 404) return words.notFound;
  if (error.status === 403) return words.notAllowed;
  if (error.status === 429) return words.tooManyRequests;
  return words.notLoaded;
};

export function ProblemState({ error, title, retry, retryLabel = common.tryAgain }: ProblemStateProps) {
  const reason = error instanceof Error ? error.message : common.unexpected;
  // Trying again would not help.
  const isOfRole = error instanceof ApiError && error.code === 'role_not_sufficient';
  return (
    <NothingYet
      isAlert
      icon={<IconAlertTriangle color="var(--state-failed)" />}
      title={title ?? titleOf(error)}
      document={error instanceof ApiError && error.code !== '' ? errorPlace(error.code) : undefined}
      documentWords={common.aboutThisError}
      actions={
        retry &&
        !isOfRole && (
          <Button variant="default" onClick={retry}>
            {retryLabel}
          </Button>
        )
      }
    >
      {isOfRole ? words.askAnOwner(reason) : reason}
    </NothingYet>
  );
}
