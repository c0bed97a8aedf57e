/** A form to choose a new password, on the page behind a link. */
import { Alert, Button, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { wordsOf } from '../../api.js';
import { faultsByField } from '../../ui/field-faults.js';
import * as words from '../../words/entrance.js';
import { passwordFault } from '../users/password-rule.js';

interface PasswordFormProps {
  readonly label: string;
  readonly button: string;
  /** The login, for the browser's password manager; empty when unknown. */
  readonly email: string;
  readonly onChosen: (password: string) => Promise<unknown>;
}

export function PasswordForm({ label, button, email, onChosen }: PasswordFormProps) {
  const form = useForm({ initialValues: { password: '' }, validate: { password: passwordFault } });
  const { refusal } = form.errors;
  return (
    <form
      onSubmit={form.onSubmit(async ({ password }) => {
        try {
          await onChosen(password);
        } catch (error) {
          const faults = faultsByField(error);
          form.setErrors(Object.keys(faults).length > 0 ? faults : { refusal: wordsOf(error) });
        }
      })}
    >
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <Stack gap="md">
        {refusal !== undefined && (
          <Alert color="red" variant="light" role="alert">
            {refusal}
          </Alert>
        )}
        <PasswordInput
          aria-invalid={form.errors.password !== undefined}
          label={label}
          description={words.passwordRule}
          name="password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          autoFocus
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={form.submitting} fullWidth>
          {button}
        </Button>
      </Stack>
    </form>
  );
}
