/** Invites a user and shows the link once. */
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { wordsOf } from '../../api.js';
import { useInvite } from '../../login-queries.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { faultsByField } from '../../ui/field-faults.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { CreateInvitation, InvitationCreated } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/users.js';

const Created = ({
  created,
  onDone,
}: {
  readonly created: InvitationCreated;
  readonly onDone: () => void;
}) => {
  const email = (
    <b>
      <Untrusted>{created.email}</Untrusted>
    </b>
  );
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {created.mailed ? words.invitationMailed(email) : words.invitationNotMailed(email)}
      </Text>
      <CodeBlock code={created.accept_url} label={words.invitationLink} language="text" />
      <Text size="sm" c="dimmed">
        {words.invitationSafety}
      </Text>
      <Group justify="flex-end">
        <Button onClick={onDone}>{words.done}</Button>
      </Group>
    </Stack>
  );
};

interface InviteProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function Invite({ opened, onClose }: InviteProps) {
  const invite = useInvite();
  const [created, setCreated] = useState<InvitationCreated | null>(null);
  const form = useForm<CreateInvitation>({
    initialValues: { email: '', role: 'editor' },
    validate: { email: (email) => (email.includes('@') ? null : words.emailMissing) },
  });
  const close = () => {
    form.reset();
    setCreated(null);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={created === null ? words.invitePerson : words.invited}>
      {created === null ? (
        <form
          noValidate
          onSubmit={form.onSubmit(async ({ email, role }) => {
            try {
              setCreated(await invite.mutateAsync({ email: email.trim(), role }));
            } catch (error) {
              const faults = faultsByField(error);
              form.setErrors(Object.keys(faults).length > 0 ? faults : { email: wordsOf(error) });
            }
          })}
        >
          <Stack gap="md">
            <TextInput
              aria-invalid={form.errors.email !== undefined}
              label={common.emailAddress}
              description={words.inviteHint}
              type="email"
              autoComplete="off"
              maxLength={254}
              data-autofocus
              {...form.getInputProps('email')}
            />
            <NativeSelect
              label={words.role}
              data={words.roleChoices.map(([value, label, hint]) => ({ value, label: `${label}: ${hint}` }))}
              {...form.getInputProps('role')}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                {common.cancel}
              </Button>
              <Button type="submit" loading={form.submitting}>
                {words.invite}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Created created={created} onDone={close} />
      )}
    </Modal>
  );
}
