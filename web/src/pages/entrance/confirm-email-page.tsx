/** Confirms a new e-mail address. By a button: mail programs open links to look at them. */
import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { wordsOf } from '../../api.js';
import { useConfirmEmailChange } from '../../login-queries.js';
import { dashboardPath } from '../../page-facts.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as words from '../../words/entrance.js';
import { Entrance } from '../sign-in/entrance.js';
import { useLinkToken } from './link-token.js';

export function ConfirmEmailPage() {
  const { token, forget } = useLinkToken('confirm-email');
  const confirm = useConfirmEmailChange();
  if (confirm.data !== undefined) {
    return (
      <Entrance title={words.confirmed}>
        <Stack gap="md">
          <Text size="sm" role="status">
            {words.confirmedHint(
              <b>
                <Untrusted>{confirm.data.email}</Untrusted>
              </b>,
            )}
          </Text>
          <Anchor href={`${dashboardPath}/`} size="sm">
            {words.goToDashboard}
          </Anchor>
        </Stack>
      </Entrance>
    );
  }
  if (token === '') {
    return (
      <Entrance title={words.linkIncomplete}>
        <Text size="sm">{words.linkIncompleteHint}</Text>
      </Entrance>
    );
  }
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
