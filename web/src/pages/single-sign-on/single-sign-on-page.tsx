/** The identity providers that users of the account can sign in with. */
import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconFingerprint, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { ActionsHead, ListTable } from '../../ui/list-table.js';
import { LoadingRows } from '../../ui/loading.js';
import { May } from '../../ui/may.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { IdentityProvider } from '../../wire.js';
import * as common from '../../words/common.js';
import { formatList } from '../../words/format.js';
import * as places from '../../words/places.js';
import * as words from '../../words/single-sign-on.js';
import { ProviderDialog } from './provider-dialog.js';
import { useDeleteIdentityProvider, useIdentityProviders, useTestIdentityProvider } from './queries.js';

function useAskDelete(): (provider: IdentityProvider) => void {
  const remove = useDeleteIdentityProvider();
  return ({ id }) =>
    modals.openConfirmModal({
      title: words.deleteProvider,
      children: <Text size="sm">{words.deleteWarning}</Text>,
      labels: { confirm: words.remove, cancel: common.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        remove.mutate(id, {
          onSuccess: () => tellDone(words.deleted),
          onError: (error) => tellFailure(words.notDeleted, error),
        }),
    });
}

function Row({ provider, onEdit }: { readonly provider: IdentityProvider; readonly onEdit: () => void }) {
  const test = useTestIdentityProvider();
  const askDelete = useAskDelete();
  const runTest = () =>
    test.mutate(provider.id, {
      onSuccess: ({ error }) =>
        error === null ? tellDone(words.testWorks) : tellFailure(words.testFails, new Error(error)),
      onError: (error) => tellFailure(words.testFails, error),
    });
  return (
    <Table.Tr h={47}>
      <Table.Td fw={500}>
        <Untrusted>{provider.name}</Untrusted>
        {provider.is_required && <Badge ml={8}>{words.required}</Badge>}
        <Text size="xs" c="dimmed">
          <Untrusted>{provider.issuer}</Untrusted>
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Untrusted>{formatList(provider.domains)}</Untrusted>
      </Table.Td>
      <Table.Td>
        <May to="identity_providers.manage">
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button
              variant="default"
              size="xs"
              loading={test.isPending}
              onClick={runTest}
              aria-label={shownCharacters(words.testNamed(provider.name))}
            >
              {words.test}
            </Button>
            <Button
              variant="default"
              size="xs"
              onClick={onEdit}
              aria-label={shownCharacters(words.editNamed(provider.name))}
            >
              {words.edit}
            </Button>
            <Button variant="default" size="xs" onClick={() => askDelete(provider)}>
              {words.remove}
            </Button>
          </Group>
        </May>
      </Table.Td>
    </Table.Tr>
  );
}

export function SingleSignOnPage() {
  const providers = useIdentityProviders();
  /** null: adding a new one; undefined: closed. */
  const [edited, setEdited] = useState<IdentityProvider | null | undefined>(undefined);
  const list = providers.data?.data;
  const addButton = (
    <May to="identity_providers.manage">
      <Button leftSection={<IconPlus />} onClick={() => setEdited(null)}>
        {words.add}
      </Button>
    </May>
  );
  return (
    <>
      <PageHead
        title={words.title}
        trail={[{ label: places.users, to: '/users' }]}
        actions={list !== undefined && list.length > 0 && addButton}
      >
        <Text size="sm" c="dimmed">
          {words.description}
        </Text>
      </PageHead>
      {edited !== undefined && <ProviderDialog provider={edited} onClose={() => setEdited(undefined)} />}
      <Stack gap="lg">
        {providers.isPending && <LoadingRows rows={2} height={47} />}
        {providers.isLoadingError && (
          <ProblemState error={providers.error} retry={() => void providers.refetch()} />
        )}
        {list?.length === 0 && (
          <NothingYet
            icon={<IconFingerprint />}
            title={words.nothingYet}
            document="guides/single-sign-on.md"
            actions={addButton}
          >
            {words.nothingYetHint}
          </NothingYet>
        )}
        {list !== undefined && list.length > 0 && (
          <ListTable
            head={
              <>
                <Table.Th>{words.name}</Table.Th>
                <Table.Th visibleFrom="sm">{words.domainsHead}</Table.Th>
                <ActionsHead />
              </>
            }
          >
            {list.map((provider) => (
              <Row key={provider.id} provider={provider} onEdit={() => setEdited(provider)} />
            ))}
          </ListTable>
        )}
      </Stack>
    </>
  );
}
