/** Saved views: a list's filters under a name, in the sidebar of every user of the account. */
import { ActionIcon, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconBookmark, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { type FilterParams, filterOf } from '../../inbox/filter-params.js';
import { useCreateView, useDeleteView, usePatchView, useViews } from '../../inbox-queries.js';
import type { Scope } from '../../queries.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { NameDialog } from '../../ui/name-dialog.js';
import { NameInput } from '../../ui/name-input.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { View } from '../../wire.js';
import * as words from '../../words/submissions.js';

const icon = { size: 16, stroke: 1.6 } as const;

export function SaveView({ scope, params }: { readonly scope: Scope; readonly params: FilterParams }) {
  const [isOpen, setOpen] = useState(false);
  const create = useCreateView();
  return (
    <>
      <Button
        variant="default"
        fw={400}
        leftSection={<IconBookmark {...icon} />}
        onClick={() => setOpen(true)}
      >
        {words.saveView}
      </Button>
      <NameDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={words.saveView}
        description={words.saveViewDescription}
        placeholder={words.viewNameExample}
        action={words.saveView}
        onName={async (name) => {
          await create.mutateAsync({
            name,
            form_id: scope.formId ?? null,
            project_id: scope.projectId ?? null,
            query: filterOf(params),
          });
          tellDone(words.viewSaved);
        }}
      />
    </>
  );
}

interface ViewLineProps {
  readonly view: View;
  /** Null: already at that end. */
  readonly onUp: (() => void) | null;
  readonly onDown: (() => void) | null;
}

function ViewLine({ view, onUp, onDown }: ViewLineProps) {
  const patch = usePatchView();
  const remove = useDeleteView();
  const shown = shownCharacters(view.name);
  return (
    <Group gap="xs" wrap="nowrap">
      <NameInput
        name={view.name}
        label={words.nameOfView(shown)}
        maxLength={200}
        onRename={(name) => patch.mutateAsync({ id: view.id, name })}
        onFailure={(error) => tellFailure(words.viewNotRenamed, error)}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={words.moveViewUp(shown)}
        disabled={onUp === null}
        onClick={() => onUp?.()}
      >
        <IconArrowUp {...icon} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={words.moveViewDown(shown)}
        disabled={onDown === null}
        onClick={() => onDown?.()}
      >
        <IconArrowDown {...icon} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={words.deleteView(shown)}
        loading={remove.isPending}
        onClick={() =>
          remove.mutate(view.id, { onError: (error) => tellFailure(words.viewNotDeleted, error) })
        }
      >
        <IconTrash {...icon} />
      </ActionIcon>
    </Group>
  );
}

export function ManageViews() {
  const [isOpen, setOpen] = useState(false);
  const views = useViews().data ?? [];
  const patch = usePatchView();
  /** Updates all positions that differ, because two views may have had the same one. */
  const place = async (from: number, to: number) => {
    const moved = views.toSpliced(from, 1).toSpliced(to, 0, ...views.slice(from, from + 1));
    try {
      for (const [position, { id, position: now }] of moved.entries())
        if (position !== now) await patch.mutateAsync({ id, position });
    } catch (error) {
      tellFailure(words.orderNotSaved, error);
    }
  };
  if (views.length === 0) return null;
  return (
    <>
      <Button variant="default" fw={400} onClick={() => setOpen(true)}>
        {words.manageViews}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={words.savedViews}>
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {words.savedViewsDescription}
          </Text>
          {views.map((view, at) => (
            <ViewLine
              key={`${view.id} ${view.name}`}
              view={view}
              onUp={at === 0 ? null : () => void place(at, at - 1)}
              onDown={at === views.length - 1 ? null : () => void place(at, at + 1)}
            />
          ))}
        </Stack>
      </Modal>
    </>
  );
}
