/** The first user, created with the token of the link that was printed at the first start. */
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { wordsOf } from '../../api.js';
import { useCompleteSetup, useSetup } from '../../session.js';
import { faultsByField } from '../../ui/field-faults.js';
import { Entrance } from '../sign-in/entrance.js';
import { passwordFault } from '../users/password-rule.js';

/** Read once and taken out of the address: it must not stay in the history of the browser. */
function takeToken(): string {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '';
  if (token !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}

export function SetupPage() {
  const [token] = useState(takeToken);
  const [, navigate] = useLocation();
  const setup = useSetup();
  const complete = useCompleteSetup();
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      password: passwordFault,
    },
  });
  if (setup.data?.needed === false && !complete.isSuccess) {
    return (
      <Entrance title="Already set up">
        <Text size="sm">
          This instance has its first user.{' '}
          <Anchor component={Link} href="/" inherit underline="always">
            Sign in
          </Anchor>
        </Text>
      </Entrance>
    );
  }
  if (token === '') {
    return (
      <Entrance title="The link is incomplete">
        <Text size="sm">
          The address must end in <span className="mono">#token=…</span>, as Inlet printed it when it started.
          Copy the whole link.
        </Text>
      </Entrance>
    );
  }
  return (
    <Entrance title="Set up Inlet" words="Create the first user. You can add more people later.">
      <form
        onSubmit={form.onSubmit((values) =>
          complete.mutate(
            { ...values, token },
            {
              onSuccess: () => navigate('/', { replace: true }),
              onError: (error) => form.setErrors(faultsByField(error)),
            },
          ),
        )}
      >
        <Stack gap="md">
          {complete.isError && Object.keys(form.errors).length === 0 && (
            <Alert color="red" variant="light" role="alert">
              {wordsOf(complete.error)}
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
            aria-invalid={form.errors.password !== undefined}
            label="Password"
            description="At least 10 characters."
            name="password"
            autoComplete="new-password"
            required
            withAsterisk={false}
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={complete.isPending} fullWidth>
            Create account
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}
