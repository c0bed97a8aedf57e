/** Confirms a new e-mail address. Needs a click, because mail programs open links by themselves. */
import { Alert, Anchor, Button, Stack } from '@mantine/core';
import { wordsOf } from '../../api.js';
import { useConfirmEmailChange } from '../../login-queries.js';
import { dashboardPath } from '../../page-facts.js';
import * as words from '../../words/entrance.js';
import { Entrance } from '../sign-in/entrance.js';
import { IncompleteLink, LinkDone } from './link-pages.js';
import { useLinkToken } from './link-token.js';

export function ConfirmEmailPage() {
  const { token, forget } = useLinkToken('confirm-email');
  const confirm = useConfirmEmailChange();
  if (confirm.data !== undefined) {
    return (
      <LinkDone title={words.confirmed} hint={words.confirmedHint} email={confirm.data.email}>
        <Anchor href={`${dashboardPath}/`} size="sm">
          {words.goToDashboard}
        </Anchor>
      </LinkDone>
    );
  }
  if (token === '') return <IncompleteLink />;
  return (
    <Entrance title={words.confirmTitle} words={words.confirmDescription}>
      <Stack gap="md">
        {confirm.isError && (
          <Alert color="red" variant="light" role="alert">
            {wordsOf(confirm.error)}
          </Alert>
        )}
        <Button
          fullWidth
          loading={confirm.isPending}
          onClick={() => confirm.mutate(token, { onSuccess: forget })}
        >
          {words.confirm}
        </Button>
      </Stack>
    </Entrance>
  );
}
