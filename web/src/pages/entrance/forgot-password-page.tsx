/** Requests a password reset link by e-mail. */
import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from 'wouter';
import { wordsOf } from '../../api.js';
import { useRequestReset } from '../../login-queries.js';
import { useSetup } from '../../session.js';
import { faultsByField } from '../../ui/field-faults.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as common from '../../words/common.js';
import * as words from '../../words/entrance.js';
import { Entrance } from '../sign-in/entrance.js';

const Back = () => (
  <Anchor component={Link} href="/" size="sm">
    {words.backToSignIn}
  </Anchor>
);

export function ForgotPasswordPage() {
  const setup = useSetup();
  const request = useRequestReset();
  const form = useForm({ initialValues: { email: '' } });
  if (setup.data?.sends_mail === false) {
    return (
      <Entrance title={words.noMailServer}>
        <Stack gap="md">
          <Text size="sm">
            {words.noMailServerHint(<span className="mono">inlet users reset-password</span>)}
          </Text>
          <Back />
        </Stack>
      </Entrance>
    );
  }
  if (request.isSuccess) {
    return (
      <Entrance title={words.linkRequested}>
        <Stack gap="md">
          <Text size="sm" role="status">
            {words.linkRequestedHint(
              <b>
                <Untrusted>{form.values.email}</Untrusted>
              </b>,
            )}
          </Text>
          <Back />
        </Stack>
      </Entrance>
    );
  }
  return (
    <Entrance title={words.forgotTitle} words={words.forgotDescription}>
      <form
        onSubmit={form.onSubmit(({ email }) =>
          request.mutate(email.trim(), { onError: (error) => form.setErrors(faultsByField(error)) }),
        )}
      >
        <Stack gap="md">
          {request.isError && Object.keys(form.errors).length === 0 && (
            <Alert color="red" variant="light" role="alert">
              {wordsOf(request.error)}
            </Alert>
          )}
          <TextInput
            label={common.emailAddress}
            type="email"
            name="email"
            autoComplete="username"
            maxLength={254}
            required
            withAsterisk={false}
            autoFocus
            {...form.getInputProps('email')}
          />
          <Button type="submit" loading={request.isPending} fullWidth>
            {words.requestLink}
          </Button>
          <Back />
        </Stack>
      </form>
    </Entrance>
  );
}
