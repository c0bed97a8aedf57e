/** E-mail address and password, on a page of its own or over a page whose session expired. */
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../api.js';
import { useSetup, useSignIn } from '../../session.js';
import * as common from '../../words/common.js';
import * as words from '../../words/session.js';
import { PasskeyButton } from './passkey-button.js';
import { pendingIn, SecondFactor } from './second-factor.js';
import { SingleSignOn } from './single-sign-on.js';

const reasonOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return words.signInFailed;
  if (error.code !== 'too_many_attempts') return error.error;
  return error.retryAfterSeconds === null
    ? words.tooManyAttempts
    : words.tooManyAttemptsFor(error.retryAfterSeconds);
};

/** Sign-in is throttled while someone is guessing passwords for this address. By then a button that only spins looks broken. */
const patienceMs = 2_000;

function useTakesLong(isPending: boolean): boolean {
  const [takesLong, setTakesLong] = useState(false);
  useEffect(() => {
    setTakesLong(false);
    if (!isPending) return;
    const timer = setTimeout(() => setTakesLong(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isPending]);
  return takesLong;
}

/** With a mail server configured, links to the reset page. Not over another page, where the link would discard unsaved input. */
function Forgotten({ isOverPage }: { readonly isOverPage: boolean }) {
  const setup = useSetup();
  return setup.data?.sends_mail && !isOverPage ? (
    <Anchor component={Link} href="/forgot-password" size="sm">
      {words.forgotPassword}
    </Anchor>
  ) : (
    <Text size="xs" c="dimmed">
      {words.passwordForgotten(<span className="mono">inlet users reset-password</span>)}
    </Text>
  );
}

/** `email`: the expected user. */
export function SignInForm({ email = '' }: { readonly email?: string }) {
  const signIn = useSignIn();
  const pending = pendingIn(signIn.error);
  if (pending !== null) return <SecondFactor pending={pending} onCancel={signIn.reset} />;
  return <PasswordForm email={email} signIn={signIn} />;
}

interface PasswordFormProps {
  readonly email: string;
  readonly signIn: ReturnType<typeof useSignIn>;
}

function PasswordForm({ email, signIn }: PasswordFormProps) {
  const takesLong = useTakesLong(signIn.isPending);
  const form = useForm({ initialValues: { email, password: '' } });
  return (
    <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
      <Stack gap="md">
        {signIn.isError && (
          <Alert color="red" variant="light" role="alert">
            {reasonOf(signIn.error)}
          </Alert>
        )}
        <TextInput
          label={common.emailAddress}
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus={email === ''}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label={words.password}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Stack gap={takesLong ? 'xs' : 0}>
          <Button type="submit" loading={signIn.isPending} fullWidth>
            {words.signIn}
          </Button>
          <Text size="sm" role="status">
            {takesLong && words.signInSlow}
          </Text>
        </Stack>
        <PasskeyButton pending={null} />
        <SingleSignOn email={form.values.email} />
        <Forgotten isOverPage={email !== ''} />
      </Stack>
    </form>
  );
}
