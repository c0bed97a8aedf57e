/** Makes a key and shows it, this once. The dialog closes only by its button: what is lost here is lost. */
import { Alert, Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useCreateApiKey } from '../../account-queries.js';
import { wordsOf } from '../../api.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { faultsByField } from '../../ui/field-faults.js';

interface CreateKeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CreateKey({ opened, onClose }: CreateKeyProps) {
  const create = useCreateApiKey();
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm<{ name: string; scope: 'full' | 'read' }>({
    initialValues: { name: '', scope: 'full' },
    validate: { name: (name) => (name.trim() === '' ? 'Give it a name' : null) },
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
      title={isShown ? 'Your new API key' : 'Create API key'}
      size="lg"
      closeOnClickOutside={!isShown}
      closeOnEscape={!isShown}
      withCloseButton={!isShown}
    >
      {isShown ? (
        <Stack gap="md">
          <Alert color="gray" icon={<IconAlertTriangle />} title="Copy it now: it is not shown again">
            Inlet stores only its hash. Anyone who has the key can use it until you revoke it.
          </Alert>
          <CodeBlock language="text" label="API key" code={secret} />
          <Group justify="flex-end">
            <Button onClick={close} data-autofocus>
              I have stored it
            </Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={form.onSubmit(async (values) => {
            try {
              setSecret((await create.mutateAsync(values)).api_key);
            } catch (error) {
              form.setErrors({ name: wordsOf(error), ...faultsByField(error) });
            }
          })}
        >
          <Stack gap="md">
            <TextInput
              label="Name"
              description="What uses it, so that you know later which one to revoke."
              placeholder="Website deployment"
              maxLength={200}
              data-autofocus
              {...form.getInputProps('name')}
            />
            <Radio.Group label="Access" {...form.getInputProps('scope')}>
              <Stack gap="xs" mt={4}>
                <Radio value="full" label="Full" description="Read, change and delete." />
                <Radio
                  value="read"
                  label="Read only"
                  description="Lists, submissions and files; nothing changes."
                />
              </Stack>
            </Radio.Group>
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={form.submitting}>
                Create API key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
