/** Accepts an invitation with a new password, or with an existing login. */
import { Alert, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { wordsOf } from '../../api.js';
import { useAcceptInvitation, useFoundInvitation } from '../../login-queries.js';
import { dashboardPath } from '../../page-facts.js';
import { useSession, useSignOut } from '../../session.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { InvitationFound, Session } from '../../wire.js';
import * as words from '../../words/entrance.js';
import { Entrance } from '../sign-in/entrance.js';
import { SignInForm } from '../sign-in/sign-in-form.js';
import { IncompleteLink } from './link-pages.js';
import { useLinkToken } from './link-token.js';
import { PasswordForm } from './password-form.js';

interface AcceptProps {
  readonly invitation: InvitationFound;
  readonly accept: (password?: string) => Promise<void>;
}

/** Signed out: create a login, or sign in with an existing one first. */
function AcceptSignedOut({ invitation, accept }: AcceptProps) {
  const [hasLogin, setHasLogin] = useState(false);
  return (
    <Stack gap="md">
      {hasLogin ? (
        <SignInForm email={invitation.email} />
      ) : (
        <PasswordForm
          label={words.choosePassword}
          button={words.joinNew}
          email={invitation.email}
          onChosen={accept}
        />
      )}
      <Button variant="subtle" size="xs" onClick={() => setHasLogin(!hasLogin)}>
        {hasLogin ? words.haveNoLogin : words.haveLogin}
      </Button>
    </Stack>
  );
}

function AcceptSignedIn({ accept }: AcceptProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const join = async () => {
    setPending(true);
    await accept().catch((error: unknown) => setFailure(wordsOf(error)));
    setPending(false);
  };
  return (
    <Stack gap="md">
      {failure !== null && (
        <Alert color="red" variant="light" role="alert">
          {failure}
        </Alert>
      )}
      <Button fullWidth loading={isPending} onClick={() => void join()}>
        {words.join}
      </Button>
    </Stack>
  );
}

function OtherAddress({ session }: { readonly session: Session }) {
  const signOut = useSignOut();
  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light">
        {words.otherAddress(
          <b>
            <Untrusted>{session.user.email}</Untrusted>
          </b>,
        )}
      </Alert>
      <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
        {words.signOut}
      </Button>
    </Stack>
  );
}

function Accept({ invitation, accept }: AcceptProps) {
  const session = useSession();
  if (session.isPending) return null;
  if (!session.data) return <AcceptSignedOut invitation={invitation} accept={accept} />;
  return session.data.user.email === invitation.email ? (
    <AcceptSignedIn invitation={invitation} accept={accept} />
  ) : (
    <OtherAddress session={session.data} />
  );
}

export function AcceptInvitationPage() {
  const { token, forget } = useLinkToken('accept-invitation');
  const found = useFoundInvitation(token);
  const acceptance = useAcceptInvitation();
  const accept = async (password?: string): Promise<void> => {
    await acceptance.mutateAsync({ token, ...(password === undefined ? {} : { password }) });
    forget();
    // Full page load: data cached for another session must not be reused.
    window.location.assign(`${dashboardPath}/`);
  };
  if (token === '') return <IncompleteLink />;
  if (found.isError) {
    return (
      <Entrance title={words.invitationInvalid}>
        <Text size="sm" role="alert">
          {wordsOf(found.error)}
        </Text>
      </Entrance>
    );
  }
  if (found.data === undefined) return null;
  const { account_name: name, email } = found.data;
  return (
    <Entrance
      title={words.invitationTitle}
      words={words.invitationDescription(
        <b>
          <Untrusted>{name}</Untrusted>
        </b>,
        <b>
          <Untrusted>{email}</Untrusted>
        </b>,
      )}
    >
      <Accept invitation={found.data} accept={accept} />
    </Entrance>
  );
}
