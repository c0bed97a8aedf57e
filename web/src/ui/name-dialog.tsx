/** A dialog that asks for a name and creates something with it. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { wordsOf } from '../api.js';
import * as common from '../words/common.js';
import * as words from '../words/controls.js';
import { faultsByField } from './field-faults.js';

interface NameDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description: string;
  readonly placeholder: string;
  /** The initial value. */
  readonly suggestion?: string;
  /** The button's verb: "Create form". */
  readonly action: string;
  readonly onName: (name: string) => Promise<unknown>;
}

export function NameDialog(props: NameDialogProps) {
  const { opened, onClose, title, description, placeholder, suggestion = '', action, onName } = props;
  const form = useForm({
    initialValues: { name: suggestion },
    validate: { name: (name) => (name.trim() === '' ? words.nameMissing : null) },
  });
  const close = () => {
    form.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <form
        onSubmit={form.onSubmit(async ({ name }) => {
          try {
            await onName(name);
            close();
          } catch (error) {
            form.setErrors({ name: wordsOf(error), ...faultsByField(error) });
          }
        })}
      >
        <Stack gap="md">
          <TextInput
            label={common.name}
            description={description}
            placeholder={placeholder}
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={form.submitting}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
