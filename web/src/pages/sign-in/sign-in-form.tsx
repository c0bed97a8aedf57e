/** E-mail address and password: on a page of its own, and over a page whose session has expired. */
import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api.js';
import { useSignIn } from '../../session.js';
import * as common from '../../words/common.js';
import * as words from '../../words/session.js';

const reasonOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return words.signInFailed;
  if (error.code !== 'too_many_attempts') return error.error;
  return error.retryAfterSeconds === null
    ? words.tooManyAttempts
    : words.tooManyAttemptsFor(error.retryAfterSeconds);
};

/** Attempts are slowed down while others guess at this address; a button that only turns looks broken by then. */
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

/** `email` is whom the form expects. */
export function SignInForm({ email = '' }: { readonly email?: string }) {
  const signIn = useSignIn();
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
        <Text size="xs" c="dimmed">
          {words.passwordForgotten(<span className="mono">inlet users reset-password</span>)}
        </Text>
      </Stack>
    </form>
  );
}
