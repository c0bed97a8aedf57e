/** Creates the first user, with the token from the link printed at the first start. */
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { wordsOf } from '../../api.js';
import { useCompleteSetup, useSetup } from '../../session.js';
import { faultsByField } from '../../ui/field-faults.js';
import * as common from '../../words/common.js';
import * as words from '../../words/session.js';
import { useLinkToken } from '../entrance/link-token.js';
import { Entrance } from '../sign-in/entrance.js';
import { passwordFault } from '../users/password-rule.js';

export function SetupPage() {
  const [, navigate] = useLocation();
  const setup = useSetup();
  const { token, forget } = useLinkToken('setup');
  const isNeeded = setup.data?.needed !== false;
  useEffect(() => {
    if (!isNeeded) forget();
  }, [isNeeded, forget]);
  const complete = useCompleteSetup();
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      password: passwordFault,
    },
  });
  if (setup.data?.needed === false && !complete.isSuccess) {
    return (
      <Entrance title={words.alreadySetUp}>
        <Text size="sm">
          {words.alreadySetUpHint(
            <Anchor component={Link} href="/" inherit underline="always">
              {words.signIn}
            </Anchor>,
          )}
        </Text>
      </Entrance>
    );
  }
  if (token === '') {
    return (
      <Entrance title={words.linkIncomplete}>
        <Text size="sm">{words.linkIncompleteHint(<span className="mono">#token=…</span>)}</Text>
      </Entrance>
    );
  }
  return (
    <Entrance title={words.setUpInlet} words={words.setUpDescription}>
      <form
        onSubmit={form.onSubmit((values) =>
          complete.mutate(
            { ...values, token },
            {
              onSuccess: () => {
                forget();
                navigate('/', { replace: true });
              },
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
            label={common.emailAddress}
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
            label={words.password}
            description={words.passwordRule}
            name="password"
            autoComplete="new-password"
            required
            withAsterisk={false}
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={complete.isPending} fullWidth>
            {words.createAccount}
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}
