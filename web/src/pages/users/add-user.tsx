/** Adds a user. */
import { Button, Group, Modal, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useAddUser } from '../../account-queries.js';
import { wordsOf } from '../../api.js';
import { faultsByField } from '../../ui/field-faults.js';
import { tellDone } from '../../ui/tell.js';
import * as common from '../../words/common.js';
import * as words from '../../words/users.js';
import { passwordFault } from './password-rule.js';
import { type Access, isComplete, RoleChoice } from './role-choice.js';

interface AddUserProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

const editor: Access = { role: 'editor', projects: [] };

export function AddUser({ opened, onClose }: AddUserProps) {
  const add = useAddUser();
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (email.includes('@') ? null : words.emailMissing),
      password: passwordFault,
    },
  });
  const [access, setAccess] = useState<Access>(editor);
  const close = () => {
    form.reset();
    setAccess(editor);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={words.addPerson}>
      <form
        noValidate
        onSubmit={form.onSubmit(async ({ email, password }) => {
          try {
            await add.mutateAsync({ email: email.trim(), password, ...access });
            tellDone(words.added(email.trim()));
            close();
          } catch (error) {
            const faults = faultsByField(error);
            form.setErrors(Object.keys(faults).length > 0 ? faults : { email: wordsOf(error) });
          }
        })}
      >
        <Stack gap="md">
          <TextInput
            label={common.emailAddress}
            description={words.emailDescription}
            type="email"
            autoComplete="off"
            maxLength={254}
            data-autofocus
            {...form.getInputProps('email')}
          />
          <PasswordInput
            aria-invalid={form.errors.password !== undefined}
            label={words.firstPassword}
            description={words.firstPasswordDescription}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <RoleChoice value={access} onChange={setAccess} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={form.submitting} disabled={!isComplete(access)}>
              {words.addPerson}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
