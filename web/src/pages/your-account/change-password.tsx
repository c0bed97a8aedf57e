/** The password of the signed-in user. */
import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ApiError, wordsOf } from '../../api.js';
import { useChangePassword } from '../../login-queries.js';
import { faultsByField } from '../../ui/field-faults.js';
import { SectionFrame } from '../../ui/settings-section.js';
import { tellDone } from '../../ui/tell.js';
import * as words from '../../words/users.js';
import { passwordFault } from '../users/password-rule.js';

export function ChangePassword({ email }: { readonly email: string }) {
  const change = useChangePassword();
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: {
      current_password: (password) => (password === '' ? words.currentPasswordMissing : null),
      new_password: passwordFault,
    },
  });
  return (
    <SectionFrame title={words.yourPassword} words={words.changePasswordDescription}>
      <form
        onSubmit={form.onSubmit(async (values) => {
          try {
            await change.mutateAsync(values);
            form.reset();
            tellDone(words.passwordChanged);
          } catch (error) {
            const faults = faultsByField(error);
            const isWrong = error instanceof ApiError && error.code === 'wrong_password';
            if (Object.keys(faults).length > 0) form.setErrors(faults);
            else form.setErrors({ [isWrong ? 'current_password' : 'new_password']: wordsOf(error) });
          }
        })}
      >
        {/* Names the login for password managers. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <Stack gap="md" maw={360}>
          <PasswordInput
            aria-invalid={form.errors.current_password !== undefined}
            label={words.currentPassword}
            autoComplete="current-password"
            {...form.getInputProps('current_password')}
          />
          <PasswordInput
            aria-invalid={form.errors.new_password !== undefined}
            label={words.newPassword}
            description={words.newPasswordDescription}
            autoComplete="new-password"
            {...form.getInputProps('new_password')}
          />
          <Group>
            <Button type="submit" variant="default" loading={form.submitting}>
              {words.changePassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionFrame>
  );
}
