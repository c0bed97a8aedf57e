/** Sign in. It stands in the place of the page that was asked for, which appears once the session is there. */
import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api.js';
import { useSetup, useSignIn } from '../../queries.js';
import { Entrance } from './entrance.js';

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

export function SignInPage() {
  const signIn = useSignIn();
  const setup = useSetup();
  const takesLong = useTakesLong(signIn.isPending);
  const form = useForm({ initialValues: { email: '', password: '' } });
  if (setup.data?.needed) {
    return (
      <Entrance title="Nobody can sign in yet">
        <Text size="sm">
          The first user is made with a link that Inlet printed when it started, beginning with this address
          and ending in <span className="mono">/dashboard/setup#token=…</span>. Open that link. Inlet prints a
          new one each time it starts, until there is a user.
        </Text>
      </Entrance>
    );
  }
  return (
    <Entrance title="Sign in">
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
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...form.getInputProps('password')}
          />
          <Stack gap={takesLong ? 'xs' : 0}>
            <Button type="submit" loading={signIn.isPending} fullWidth>
              Sign in
            </Button>
            <Text size="sm" role="status">
              {takesLong &&
                'Still signing in. This can take up to half a minute while many attempts are made.'}
            </Text>
          </Stack>
          <Text size="xs" c="dimmed">
            Forgotten? The operator of this instance can set a new one with{' '}
            <span className="mono">inlet users reset-password</span>.
          </Text>
        </Stack>
      </form>
    </Entrance>
  );
}
