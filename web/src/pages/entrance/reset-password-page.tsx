/** Sets a new password through an e-mailed link. */
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useCompleteReset } from '../../login-queries.js';
import * as words from '../../words/entrance.js';
import { Entrance } from '../sign-in/entrance.js';
import { IncompleteLink, LinkDone } from './link-pages.js';
import { useLinkToken } from './link-token.js';
import { PasswordForm } from './password-form.js';

export function ResetPasswordPage() {
  const { token, forget } = useLinkToken('reset-password');
  const complete = useCompleteReset();
  if (complete.data !== undefined) {
    return (
      <LinkDone title={words.passwordSet} hint={words.passwordSetHint} email={complete.data.email}>
        <Anchor component={Link} href="/" size="sm">
          {words.signIn}
        </Anchor>
      </LinkDone>
    );
  }
  if (token === '') return <IncompleteLink />;
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
