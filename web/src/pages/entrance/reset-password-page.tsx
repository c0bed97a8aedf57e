/** Sets a new password with the link of a mail. */
import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useCompleteReset } from '../../login-queries.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as words from '../../words/entrance.js';
import { Entrance } from '../sign-in/entrance.js';
import { useLinkToken } from './link-token.js';
import { PasswordForm } from './password-form.js';

export function ResetPasswordPage() {
  const { token, forget } = useLinkToken('reset-password');
  const complete = useCompleteReset();
  if (complete.data !== undefined) {
    const { email } = complete.data;
    return (
      <Entrance title={words.passwordSet}>
        <Stack gap="md">
          <Text size="sm" role="status">
            {words.passwordSetHint(
              <b>
                <Untrusted>{email}</Untrusted>
              </b>,
            )}
          </Text>
          <Anchor component={Link} href="/" size="sm">
            {words.signIn}
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
    <Entrance title={words.resetTitle} words={words.resetDescription}>
      <PasswordForm
        label={words.newPassword}
        button={words.setPassword}
        email=""
        onChosen={async (password) => {
          await complete.mutateAsync({ token, password });
          forget();
        }}
      />
    </Entrance>
  );
}
