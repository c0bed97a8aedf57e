/** The signing secret for the webhooks of a project and its forms, and its rotation. */
import { Button, Group, Input, Skeleton, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useProject, useRotateSecret } from '../queries.js';
import * as common from '../words/common.js';
import * as words from '../words/webhook.js';
import { SecretText } from './secret-text.js';
import { tellDone, tellFailure } from './tell.js';
import { Verification } from './verification.js';

export function WebhookSecret({ projectId }: { readonly projectId: string }) {
  const project = useProject(projectId);
  const rotate = useRotateSecret(projectId);
  const secret = project.data?.webhook_secret ?? null;
  const ask = () =>
    modals.openConfirmModal({
      title: words.rotateTitle,
      children: <Text size="sm">{words.rotateWarning}</Text>,
      labels: { confirm: words.rotateNow, cancel: common.cancel },
      onConfirm: () =>
        rotate.mutate(undefined, {
          onSuccess: () => tellDone(words.rotated),
          onError: (error) => tellFailure(words.rotateFailed, error),
        }),
    });
  return (
    <Stack gap="xs">
      <Input.Wrapper label={words.signingSecret} labelElement="div" description={words.signingSecretHelp}>
        <Group gap="xs" mt={4} wrap="nowrap" align="center">
          <div style={{ flex: 1, minWidth: 0 }}>
            {secret === null ? (
              <Skeleton h={36} />
            ) : (
              <SecretText value={secret} label={words.theSigningSecret} />
            )}
          </div>
          <Button variant="default" onClick={ask} loading={rotate.isPending}>
            {words.rotate}
          </Button>
        </Group>
      </Input.Wrapper>
      <Verification />
    </Stack>
  );
}
