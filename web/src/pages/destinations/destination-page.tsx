/** A destination: status, actions and settings. */

import { ActionIcon, Alert, Box, Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconDots, IconHistory, IconPower, IconSend, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import {
  useDeleteDestination,
  useDestination,
  usePatchDestination,
  useTestDestination,
} from '../../destination-queries.js';
import { useMay } from '../../may.js';
import { leaveFor } from '../../navigation.js';
import { type Owner, pathOf, useForm, useProject } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import type { PageProps } from '../../ui/lazy-part.js';
import { LoadingPage } from '../../ui/loading.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { failureWords } from '../../ui/settings-section.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Destination } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/destinations.js';
import { BackfillDialog } from './backfill-dialog.js';
import { patchOf } from './destination-draft.js';
import { DestinationForm } from './destination-form.js';
import { BuiltInNote, DestinationStatus } from './destination-list.js';
import { DestinationState } from './destination-state.js';
import { lookOf } from './kinds.js';
import { TestExchange } from './test-exchange.js';

const ownerOf = ({ form_id, project_id }: Destination): Owner =>
  form_id === null ? { projectId: project_id } : { formId: form_id };

interface ActionsProps {
  readonly destination: Destination;
  /** Offers to send what was missed since then. */
  readonly onEnabled: (since: string) => void;
  readonly onBackfill: () => void;
}

function Actions({ destination, onEnabled, onBackfill }: ActionsProps) {
  const { id, name, is_active, built_in, status, updated_at } = destination;
  const test = useTestDestination(id);
  const patch = usePatchDestination(id);
  const remove = useDeleteDestination(id);
  const switchTo = (isOn: boolean) =>
    patch.mutate(
      { is_active: isOn },
      {
        onSuccess: () => {
          tellDone(isOn ? words.enabled : words.disabled);
          // Disabling was its last change. If it was failing before that, deliveries were missed since then.
          if (isOn) onEnabled(status.failing_since ?? updated_at);
        },
        onError: (error) => tellFailure(isOn ? words.notEnabled : words.notDisabled, error),
      },
    );
  const askToDelete = () =>
    modals.openConfirmModal({
      title: words.deleteDestination,
      children: <Text size="sm">{words.deleteDestinationWarning}</Text>,
      labels: { confirm: words.deleteDestination, cancel: common.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        remove.mutate(undefined, {
          onSuccess: () => {
            tellDone(words.deleted(name));
            leaveFor(`${pathOf(ownerOf(destination))}/destinations`);
          },
          onError: (error) => tellFailure(words.notDeleted, error),
        }),
    });
  return (
    <>
      <Button leftSection={<IconSend />} loading={test.isPending} onClick={() => test.mutate(undefined)}>
        {words.sendATest}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size="var(--control)"
            aria-label={words.destinationActions}
            loading={patch.isPending}
          >
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconHistory size={16} stroke={1.6} />} onClick={onBackfill}>
            {words.sendPastSubmissions}
          </Menu.Item>
          <Menu.Item leftSection={<IconPower size={16} stroke={1.6} />} onClick={() => switchTo(!is_active)}>
            {is_active ? words.disable : words.enable}
          </Menu.Item>
          {!built_in && (
            <Menu.Item leftSection={<IconTrash size={16} stroke={1.6} />} onClick={askToDelete}>
              {common.deleteIt}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={test.data !== undefined}
        onClose={test.reset}
        title={<Untrusted>{words.testOf(name)}</Untrusted>}
        size="lg"
      >
        {test.data !== undefined && <TestExchange test={test.data} />}
      </Modal>
      <Modal opened={test.isError} onClose={test.reset} title={words.testNotSent}>
        <Text size="sm" role="alert">
          {failureWords(test.error)}
        </Text>
      </Modal>
    </>
  );
}

function Known({ destination }: { readonly destination: Destination }) {
  const { id, kind, name, is_active, built_in, status } = destination;
  const patch = usePatchDestination(id);
  const owner = ownerOf(destination);
  const form = useForm(destination.form_id ?? '');
  const project = useProject(destination.project_id);
  const [since, setSince] = useState<string | null>(null);
  const [isBackfilling, backfilling] = useDisclosure();
  const { title, icon: Icon, addressOf } = lookOf(kind);
  const may = useMay('destinations.manage', destination.project_id);
  return (
    <>
      <PageHead
        title={name}
        trail={[
          { label: common.projects, to: '/projects' },
          { label: project.data?.name ?? '…', to: `/projects/${destination.project_id}` },
          ...('formId' in owner ? [{ label: form.data?.name ?? '…', to: pathOf(owner) }] : []),
          { label: common.destinations, to: `${pathOf(owner)}/destinations` },
        ]}
        aside={<DestinationState status={status} />}
        actions={
          may && (
            <Actions
              destination={destination}
              onEnabled={(missed) => {
                setSince(missed);
                backfilling.open();
              }}
              onBackfill={() => {
                setSince(null);
                backfilling.open();
              }}
            />
          )
        }
      >
        <Group gap={8} c="dimmed" wrap="nowrap">
          <Icon aria-hidden style={{ flex: 'none' }} />
          <Text size="sm" className="line-clamp">
            {title} · <Untrusted>{beginning(addressOf(destination.config), 200)}</Untrusted>
          </Text>
        </Group>
        <Box>
          <DestinationStatus status={status} />
        </Box>
      </PageHead>
      {!is_active && (
        <Alert color="gray" title={words.nothingIsSent} icon={<IconPower />} mb="lg" maw={1040}>
          {status.failing_since === null ? words.disabledHint : words.disabledByFailureHint}
        </Alert>
      )}
      <BackfillDialog
        destination={destination}
        since={since}
        opened={isBackfilling}
        onClose={backfilling.close}
      />
      {may && (
        <DestinationForm
          owner={owner}
          kind={kind}
          stored={destination}
          action={common.save}
          {...(built_in && {
            instead: (
              <Stack gap={4}>
                <span>{words.changeElsewhere}</span>
                <BuiltInNote destination={destination} />
              </Stack>
            ),
          })}
          onSave={async (draft, known) => {
            const saved = await patch.mutateAsync(patchOf(draft, known ?? destination));
            tellDone(words.saved);
            return saved;
          }}
        />
      )}
    </>
  );
}

export function DestinationPage({ params: { id = '' } }: PageProps) {
  const destination = useDestination(id);
  if (destination.isPending) return <LoadingPage />;
  if (destination.isLoadingError)
    return <ProblemState error={destination.error} retry={() => void destination.refetch()} />;
  return destination.data === undefined ? null : <Known key={id} destination={destination.data} />;
}
