/** Moves a form to another project, after listing what changes. */
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { wordsOf } from '../../api.js';
import { useMoveForm, useProjects } from '../../queries.js';
import { faultsByField } from '../../ui/field-faults.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { tellDone } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { FormFull } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/form.js';

interface MoveDialogProps {
  readonly form: FormFull;
  readonly opened: boolean;
  readonly onClose: () => void;
}

const Changes = () => (
  <Text component="ul" size="sm" c="dimmed" m={0} pl="md">
    {words.moveChanges.map((change) => (
      <li key={change}>{change}</li>
    ))}
  </Text>
);

export function MoveDialog({ form: { id, project_id }, opened, onClose }: MoveDialogProps) {
  const projects = useProjects();
  const move = useMoveForm(id);
  const form = useForm({
    initialValues: { project_id: '' },
    validate: { project_id: (chosen) => (chosen === '' ? words.chooseProject : null) },
  });
  const close = () => {
    form.reset();
    onClose();
  };
  const others = (projects.data ?? []).filter((project) => project.id !== project_id);
  return (
    <Modal opened={opened} onClose={close} title={words.moveForm}>
      <form
        onSubmit={form.onSubmit(async (values) => {
          try {
            await move.mutateAsync(values.project_id);
            close();
            tellDone(words.moved);
          } catch (error) {
            form.setErrors({ project_id: wordsOf(error), ...faultsByField(error) });
          }
        })}
      >
        <Stack gap="md">
          {projects.isSuccess && others.length === 0 ? (
            <Text size="sm">{words.noOtherProject}</Text>
          ) : (
            <>
              <Select
                label={words.project}
                placeholder={words.chooseProject}
                data={others.map(({ id: value, name }) => ({ value, label: shownCharacters(name) }))}
                renderOption={({ option }) => <Untrusted>{option.label}</Untrusted>}
                searchable
                nothingFoundMessage={words.noProjectFound}
                allowDeselect={false}
                data-autofocus
                // Its options would cover the list of changes.
                openOnFocus={false}
                {...form.getInputProps('project_id')}
              />
              <Changes />
            </>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={form.submitting} disabled={others.length === 0}>
              {words.moveForm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
