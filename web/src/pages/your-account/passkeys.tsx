/** The passkeys of the login. */
import { Box, Button, Group, Modal, PasswordInput, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { wordsOf } from '../../api.js';
import { useAddPasskey, useFactors, useRemovePasskey, useRenamePasskey } from '../../login-queries.js';
import { hasPasskeys, isDismissed } from '../../passkeys.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { ActionsHead, ListTable } from '../../ui/list-table.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { SectionFrame } from '../../ui/settings-section.js';
import { tellDone } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { PasskeyItem, Session } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/your-account.js';
import { RecoveryCodes } from './recovery-codes.js';

type User = Session['user'];
/** The dialog's state; null: closed. */
type Task =
  | { readonly kind: 'add' }
  | { readonly kind: 'rename' | 'remove'; readonly passkey: PasskeyItem }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

interface TaskProps {
  readonly user: User;
  readonly task: Exclude<Task, { kind: 'codes' }>;
  readonly go: (task: Task | null) => void;
}

const titles = {
  add: words.addPasskey,
  rename: words.rename,
  remove: words.removePasskey,
  codes: words.recoveryCodes,
} as const;

function useTask({ user, task, go }: TaskProps) {
  const [add, rename, remove] = [useAddPasskey(), useRenamePasskey(), useRemovePasskey()];
  return async ({ name, password }: { readonly name: string; readonly password: string }): Promise<void> => {
    if (task.kind === 'add') {
      const codes = await add.mutateAsync({ user, name, password });
      tellDone(words.passkeyAdded);
      go(codes.length > 0 ? { kind: 'codes', codes } : null);
      return;
    }
    const { id } = task.passkey;
    if (task.kind === 'rename') await rename.mutateAsync({ id, name });
    else await remove.mutateAsync({ id, current_password: password });
    tellDone(task.kind === 'rename' ? words.renamed : words.passkeyRemoved);
    go(null);
  };
}

function TaskForm(props: TaskProps) {
  const { task, go } = props;
  const work = useTask(props);
  const [hasName, hasPassword] = [task.kind !== 'remove', task.kind !== 'rename'];
  const form = useForm({
    initialValues: { name: task.kind === 'rename' ? task.passkey.name : '', password: '' },
    validate: { name: (name) => (hasName && name.trim() === '' ? words.passkeyNameMissing : null) },
  });
  const failed = (error: unknown) => {
    const field = hasPassword ? 'password' : 'name';
    form.setErrors({ [field]: isDismissed(error) ? words.passkeyDismissed : wordsOf(error) });
  };
  return (
    <form onSubmit={form.onSubmit((values) => work(values).catch(failed))}>
      <Stack gap="md">
        {hasName && (
          <TextInput
            aria-invalid={form.errors.name !== undefined}
            label={words.passkeyName}
            description={words.passkeyNameHint}
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
        )}
        {hasPassword && (
          <PasswordInput
            aria-invalid={form.errors.password !== undefined}
            label={words.currentPassword}
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...form.getInputProps('password')}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => go(null)}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.submitting} {...(task.kind === 'remove' && { color: 'red' })}>
            {titles[task.kind]}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface RowProps {
  readonly passkey: PasskeyItem;
  readonly go: (task: Task) => void;
}

const PasskeyRow = ({ passkey, go }: RowProps) => (
  <Table.Tr h={47}>
    <Table.Td fw={500}>
      <Untrusted>{passkey.name}</Untrusted>
    </Table.Td>
    <Table.Td c="dimmed">
      {passkey.last_used_at === null ? words.neverUsed : <RelativeTime iso={passkey.last_used_at} />}
    </Table.Td>
    <Table.Td c="dimmed" visibleFrom="sm">
      <RelativeTime iso={passkey.created_at} />
    </Table.Td>
    <Table.Td ta="right">
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          variant="default"
          size="xs"
          onClick={() => go({ kind: 'rename', passkey })}
          aria-label={shownCharacters(words.renameNamed(passkey.name))}
        >
          {words.rename}
        </Button>
        <Button
          variant="default"
          size="xs"
          onClick={() => go({ kind: 'remove', passkey })}
          aria-label={shownCharacters(words.removeNamed(passkey.name))}
        >
          {words.remove}
        </Button>
      </Group>
    </Table.Td>
  </Table.Tr>
);

export function Passkeys({ user }: { readonly user: User }) {
  const passkeys = useFactors().data?.passkeys ?? [];
  const [task, setTask] = useState<Task | null>(null);
  const isShowingCodes = task?.kind === 'codes';
  return (
    <SectionFrame title={words.passkeys} words={words.passkeysDescription}>
      {passkeys.length > 0 && (
        <Box mb="md">
          <ListTable
            head={
              <>
                <Table.Th>{common.name}</Table.Th>
                <Table.Th>{words.lastUsed}</Table.Th>
                <Table.Th visibleFrom="sm">{words.added}</Table.Th>
                <ActionsHead />
              </>
            }
          >
            {passkeys.map((passkey) => (
              <PasskeyRow key={passkey.id} passkey={passkey} go={setTask} />
            ))}
          </ListTable>
        </Box>
      )}
      {hasPasskeys() ? (
        <Button variant="default" onClick={() => setTask({ kind: 'add' })}>
          {words.addPasskey}
        </Button>
      ) : (
        <Text size="sm">{words.passkeysNowhere}</Text>
      )}
      <Modal
        opened={task !== null}
        onClose={() => setTask(null)}
        title={task === null ? '' : titles[task.kind]}
        // The codes cannot be shown again.
        closeOnClickOutside={!isShowingCodes}
        closeOnEscape={!isShowingCodes}
        withCloseButton={!isShowingCodes}
      >
        {task?.kind === 'codes' && <RecoveryCodes codes={task.codes} onDone={() => setTask(null)} />}
        {task !== null && task.kind !== 'codes' && <TaskForm user={user} task={task} go={setTask} />}
      </Modal>
    </SectionFrame>
  );
}
