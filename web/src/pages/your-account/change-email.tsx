/** The e-mail address of the login. It changes once the link sent to the new address is opened. */
import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ApiError, wordsOf } from '../../api.js';
import { useRequestEmailChange } from '../../login-queries.js';
import { faultsByField } from '../../ui/field-faults.js';
import { SectionFrame } from '../../ui/settings-section.js';
import { tellDone } from '../../ui/tell.js';
import * as words from '../../words/your-account.js';

export function ChangeEmail({ current }: { readonly current: string }) {
  const change = useRequestEmailChange();
  const form = useForm({
    initialValues: { email: '', current_password: '' },
    validate: {
      email: (email) => (email.includes('@') ? null : words.emailMissing),
      current_password: (password) => (password === '' ? words.currentPasswordMissing : null),
    },
  });
  return (
    <SectionFrame title={words.emailAddress} words={words.emailDescription}>
      <form
        noValidate
        onSubmit={form.onSubmit(async (values) => {
          try {
            await change.mutateAsync({ ...values, email: values.email.trim() });
            tellDone(words.emailRequested(values.email.trim()));
            form.reset();
          } catch (error) {
            const faults = faultsByField(error);
            const isWrong = error instanceof ApiError && error.code === 'wrong_password';
            if (Object.keys(faults).length > 0) form.setErrors(faults);
            else form.setErrors({ [isWrong ? 'current_password' : 'email']: wordsOf(error) });
          }
        })}
      >
        <input type="text" name="username" autoComplete="username" value={current} readOnly hidden />
        <Stack gap="md" maw={360}>
          <TextInput
            aria-invalid={form.errors.email !== undefined}
            label={words.newEmail}
            type="email"
            autoComplete="email"
            maxLength={254}
            {...form.getInputProps('email')}
          />
          <PasswordInput
            aria-invalid={form.errors.current_password !== undefined}
            label={words.currentPassword}
            autoComplete="current-password"
            {...form.getInputProps('current_password')}
          />
          <Group>
            <Button type="submit" variant="default" loading={form.submitting}>
              {words.changeEmail}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionFrame>
  );
}
