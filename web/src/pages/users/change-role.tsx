/** Changes a user's role, effective immediately. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useChangeUser } from '../../account-queries.js';
import { wordsOf } from '../../api.js';
import { tellDone } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { User } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/users.js';
import { type Access, isComplete, RoleChoice } from './role-choice.js';

interface ChangeRoleProps {
  readonly user: User;
  readonly onClose: () => void;
}

export function ChangeRole({ user, onClose }: ChangeRoleProps) {
  const change = useChangeUser();
  const [access, setAccess] = useState<Access>({ role: user.role, projects: user.projects });
  const save = () =>
    change.mutate(
      { id: user.id, ...access },
      {
        onSuccess: () => {
          tellDone(words.roleChanged(user.email));
          onClose();
        },
      },
    );
  return (
    <Modal opened onClose={onClose} title={<Untrusted>{words.roleOf(user.email)}</Untrusted>}>
      <Stack gap="md">
        <RoleChoice value={access} onChange={setAccess} />
        {change.isError && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {wordsOf(change.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button loading={change.isPending} disabled={!isComplete(access)} onClick={save}>
            {words.saveRole}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
