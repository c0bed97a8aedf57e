/** E-mail address and password: on a page of its own, and over a page whose session has expired. */
import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api.js';
import { useSignIn } from '../../session.js';

const reasonOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'Signing in failed.';
  if (error.code !== 'too_many_attempts') return error.error;
  return error.retryAfterSeconds === null
    ? 'Too many attempts. Wait a while, then try again.'
    : `Too many attempts. Try again in ${error.retryAfterSeconds} seconds.`;
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
          label="E-mail address"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus={email === ''}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Stack gap={takesLong ? 'xs' : 0}>
          <Button type="submit" loading={signIn.isPending} fullWidth>
            Sign in
          </Button>
          <Text size="sm" role="status">
            {takesLong && 'Still signing in. This can take up to half a minute while many attempts are made.'}
          </Text>
        </Stack>
        <Text size="xs" c="dimmed">
          Forgotten? The operator of this instance can set a new one with{' '}
          <span className="mono">inlet users reset-password</span>.
        </Text>
      </Stack>
    </form>
  );
}
