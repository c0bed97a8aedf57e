/** Creates, renames, recolours and deletes the account's labels. */
import { ActionIcon, Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconCheck, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useCreateLabel, useDeleteLabel, useLabels, usePatchLabel } from '../inbox-queries.js';
import { shownCharacters } from '../ui/hidden-characters.js';
import { NameInput } from '../ui/name-input.js';
import { tellDone, tellFailure } from '../ui/tell.js';
import type { Label } from '../wire.js';
import * as common from '../words/common.js';
import * as words from '../words/labels.js';
import { LabelDot } from './label-chips.js';
import { colorOfNext, labelColors, maxLabelName } from './label-picker.js';

const icon = { size: 16, stroke: 1.6 } as const;

function ColorChoice({ label: { id, name, color } }: { readonly label: Label }) {
  const patch = usePatchLabel();
  const recolor = (wanted: Label['color']) =>
    patch.mutate({ id, color: wanted }, { onError: (error) => tellFailure(words.notRecolored, error) });
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={words.colorOf(shownCharacters(name), color)}>
          <LabelDot color={color} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {labelColors.map((one) => (
          <Menu.Item
            key={one}
            leftSection={<LabelDot color={one} />}
            rightSection={
              one === color ? <IconCheck {...icon} role="img" aria-label={words.colorSet} /> : null
            }
            onClick={() => recolor(one)}
          >
            {words.colors[one]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function LabelLine({ label }: { readonly label: Label }) {
  const patch = usePatchLabel();
  const remove = useDeleteLabel();
  const shown = shownCharacters(label.name);
  // Uses the promise: this row is unmounted before the callbacks of `mutate` would run.
  const deleteIt = async () => {
    try {
      await remove.mutateAsync(label.id);
      tellDone(words.deleted);
    } catch (error) {
      tellFailure(words.notDeleted, error);
    }
  };
  const askToDelete = () =>
    modals.openConfirmModal({
      title: words.deleteLabel,
      children: <Text size="sm">{words.deleteLabelWarning(shown)}</Text>,
      labels: { confirm: words.deleteLabel, cancel: common.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () => void deleteIt(),
    });
  return (
    <Group gap="xs" wrap="nowrap">
      <ColorChoice label={label} />
      <NameInput
        name={label.name}
        label={words.nameOf(shown)}
        maxLength={maxLabelName}
        onRename={(name) => patch.mutateAsync({ id: label.id, name })}
        onFailure={(error) => tellFailure(words.notRenamed, error)}
      />
      <ActionIcon variant="subtle" color="red" aria-label={words.deleteNamed(shown)} onClick={askToDelete}>
        <IconTrash {...icon} />
      </ActionIcon>
    </Group>
  );
}

function NewLabel({ count }: { readonly count: number }) {
  const create = useCreateLabel();
  const [text, setText] = useState('');
  const name = text.trim();
  const createIt = () =>
    create.mutate(
      { name, color: colorOfNext(count) },
      { onSuccess: () => setText(''), onError: (error) => tellFailure(words.notCreated, error) },
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== '' && !create.isPending) createIt();
      }}
    >
      <Group gap="xs" wrap="nowrap" pl={40}>
        <TextInput
          size="xs"
          aria-label={words.newLabel}
          placeholder={words.newLabel}
          maxLength={maxLabelName}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          flex={1}
        />
        <Button type="submit" size="xs" variant="default" disabled={name === ''} loading={create.isPending}>
          {words.createLabel}
        </Button>
      </Group>
    </form>
  );
}

export function ManageLabels() {
  const [isOpen, setOpen] = useState(false);
  const labels = useLabels().data ?? [];
  return (
    <>
      <Button variant="default" fw={400} onClick={() => setOpen(true)}>
        {words.manageLabels}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={words.labels}>
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {labels.length === 0 ? words.noLabels : words.labelsOfAll}
          </Text>
          {labels.map((label) => (
            <LabelLine key={`${label.id} ${label.name}`} label={label} />
          ))}
          <NewLabel count={labels.length} />
        </Stack>
      </Modal>
    </>
  );
}
