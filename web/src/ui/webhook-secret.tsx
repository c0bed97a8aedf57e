/** The secret that signs the webhooks of a project and of its forms, and its rotation. */
import { Button, Group, Input, Skeleton, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useProject, useRotateSecret } from '../queries.js';
import { SecretText } from './secret-text.js';
import { tellDone, tellFailure } from './tell.js';
import { Verification } from './verification.js';

export function WebhookSecret({ projectId }: { readonly projectId: string }) {
  const project = useProject(projectId);
  const rotate = useRotateSecret(projectId);
  const secret = project.data?.webhook_secret ?? null;
  const ask = () =>
    modals.openConfirmModal({
      title: 'Rotate the secret',
      children: (
        <Text size="sm">
          A new secret signs from now on, for the project and all its forms. The old one stays valid for 24
          hours, so you can update your endpoints without missing anything.
        </Text>
      ),
      labels: { confirm: 'Rotate secret', cancel: 'Cancel' },
      onConfirm: () =>
        rotate.mutate(undefined, {
          onSuccess: () => tellDone('The secret was rotated. Update it at your endpoints.'),
          onError: (error) => tellFailure('The secret was not rotated', error),
        }),
    });
  return (
    <Stack gap="xs">
      <Input.Wrapper
        label="Signing secret"
        labelElement="div"
        description="Your endpoint uses it to verify that a request comes from Inlet. The project and its forms share it."
      >
        <Group gap="xs" mt={4} wrap="nowrap" align="center">
          <div style={{ flex: 1, minWidth: 0 }}>
            {secret === null ? <Skeleton h={36} /> : <SecretText value={secret} label="signing secret" />}
          </div>
          <Button variant="default" onClick={ask} loading={rotate.isPending}>
            Rotate
          </Button>
        </Group>
      </Input.Wrapper>
      <Verification />
    </Stack>
  );
}
