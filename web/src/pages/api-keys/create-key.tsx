/** Creates an API key and shows it once. The dialog closes only by its button, because the key cannot be shown again. */
import {
  Alert,
  Button,
  Group,
  Modal,
  MultiSelect,
  NativeSelect,
  Radio,
  Stack,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useCreateApiKey } from '../../account-queries.js';
import { wordsOf } from '../../api.js';
import { useProjects } from '../../queries.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { faultsByField } from '../../ui/field-faults.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import * as words from '../../words/api-keys.js';
import * as common from '../../words/common.js';

interface CreateKeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

const dayMs = 86_400_000;

const expiryAfter = (days: string): string | null =>
  days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString();

export function CreateKey({ opened, onClose }: CreateKeyProps) {
  const create = useCreateApiKey();
  const projects = useProjects().data ?? [];
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm<{ name: string; scope: 'full' | 'read'; days: string; project_ids: string[] }>({
    initialValues: { name: '', scope: 'full', days: '', project_ids: [] },
    validate: { name: (name) => (name.trim() === '' ? words.nameMissing : null) },
  });
  const close = () => {
    form.reset();
    setSecret(null);
    onClose();
  };
  const isShown = secret !== null;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={isShown ? words.newKey : words.createApiKey}
      size="lg"
      closeOnClickOutside={!isShown}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {isShown ? (
        <Stack gap="md">
          <Alert color="gray" icon={<IconAlertTriangle />} title={words.copyNow}>
            {words.copyNowReason}
          </Alert>
          <CodeBlock language="text" label={words.apiKey} code={secret} />
          <Group justify="flex-end">
            <Button onClick={close} data-autofocus>
              {words.done}
            </Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={form.onSubmit(async ({ days, project_ids, ...values }) => {
            try {
              const made = await create.mutateAsync({
                ...values,
                expires_at: expiryAfter(days),
                project_ids: project_ids.length > 0 ? project_ids : null,
              });
              setSecret(made.api_key);
            } catch (error) {
              form.setErrors({ name: wordsOf(error), ...faultsByField(error) });
            }
          })}
        >
          <Stack gap="md">
            <TextInput
              label={common.name}
              description={words.nameDescription}
              placeholder={words.nameExample}
              maxLength={200}
              data-autofocus
              {...form.getInputProps('name')}
            />
            <Radio.Group label={words.access} {...form.getInputProps('scope')}>
              <Stack gap="xs" mt={4}>
                <Radio value="full" label={words.accessFull} description={words.accessFullDescription} />
                <Radio
                  value="read"
                  label={words.accessReadOnly}
                  description={words.accessReadOnlyDescription}
                />
              </Stack>
            </Radio.Group>
            <MultiSelect
              label={common.projects}
              description={words.projectsDescription}
              placeholder={form.values.project_ids.length === 0 ? words.allProjects : ''}
              data={projects.map(({ id, name }) => ({ value: id, label: shownCharacters(name) }))}
              maxValues={100}
              searchable
              {...form.getInputProps('project_ids')}
            />
            <NativeSelect
              label={words.expires}
              data={words.expiryChoices.map(([value, label]) => ({ value, label }))}
              {...form.getInputProps('days')}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                {common.cancel}
              </Button>
              <Button type="submit" loading={form.submitting}>
                {words.createApiKey}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
