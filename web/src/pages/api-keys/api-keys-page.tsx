/** API keys for programs. A key is shown only once, when it is created. */

import { Badge, Box, Button, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconEye, IconKey, IconPencil, IconPlus } from '@tabler/icons-react';
import { useRevokeApiKey } from '../../account-queries.js';
import { useApiKeys, useProjectNames } from '../../queries.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { ActionsHead, ListTable } from '../../ui/list-table.js';
import { LoadingRows } from '../../ui/loading.js';
import { May } from '../../ui/may.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { ApiKeyItem } from '../../wire.js';
import * as words from '../../words/api-keys.js';
import * as common from '../../words/common.js';
import { formatList } from '../../words/format.js';
import { CreateKey } from './create-key.js';

const Scope = ({ scope }: Pick<ApiKeyItem, 'scope'>) => (
  <Badge color="gray" leftSection={scope === 'full' ? <IconPencil /> : <IconEye />}>
    {scope === 'full' ? words.accessFull : words.accessReadOnly}
  </Badge>
);

function KeyRow({ apiKey, onRevoke }: { readonly apiKey: ApiKeyItem; readonly onRevoke: () => void }) {
  const projectName = useProjectNames();
  return (
    <Table.Tr>
      <Table.Td fw={500}>
        <Untrusted>{apiKey.name}</Untrusted>
        <Text size="sm" c="dimmed">
          <span className="mono">{apiKey.prefix}…</span>
          {apiKey.project_ids !== null && (
            <>
              {' · '}
              <Untrusted>{formatList(apiKey.project_ids.map(projectName))}</Untrusted>
            </>
          )}
        </Text>
        <Box hiddenFrom="xs">
          <Scope scope={apiKey.scope} />
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="xs">
        <Scope scope={apiKey.scope} />
      </Table.Td>
      <Table.Td c="dimmed">
        {apiKey.last_used_at === null ? words.neverUsed : <RelativeTime iso={apiKey.last_used_at} />}
      </Table.Td>
      <Table.Td c="dimmed" visibleFrom="sm">
        <RelativeTime iso={apiKey.created_at} />
      </Table.Td>
      <Table.Td c="dimmed" visibleFrom="sm">
        {apiKey.expires_at === null ? words.neverExpires : <RelativeTime iso={apiKey.expires_at} />}
      </Table.Td>
      <Table.Td ta="right">
        <May to="api_keys.manage">
          <Button
            variant="default"
            size="xs"
            onClick={onRevoke}
            aria-label={shownCharacters(words.revokeNamed(apiKey.name))}
          >
            {words.revoke}
          </Button>
        </May>
      </Table.Td>
    </Table.Tr>
  );
}

export function ApiKeysPage() {
  const apiKeys = useApiKeys();
  const revoke = useRevokeApiKey();
  const [isCreating, creating] = useDisclosure();
  const createButton = (
    <May to="api_keys.manage">
      <Button leftSection={<IconPlus />} onClick={creating.open}>
        {words.createApiKey}
      </Button>
    </May>
  );
  const askRevoke = ({ id, name, prefix }: ApiKeyItem) =>
    modals.openConfirmModal({
      title: words.revokeApiKey,
      children: (
        <>
          <Text size="sm" mb={8}>
            <b>
              <Untrusted>{name}</Untrusted>
            </b>{' '}
            <span className="mono">{prefix}…</span>
          </Text>
          <Text size="sm">{words.revokeWarning}</Text>
        </>
      ),
      labels: { confirm: words.revoke, cancel: common.cancel },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        revoke.mutate(id, {
          onSuccess: () => tellDone(words.revoked),
          onError: (error) => tellFailure(words.notRevoked, error),
        }),
    });
  const isEmpty = apiKeys.data?.length === 0;
  return (
    <>
      <PageHead title={words.apiKeys} actions={isEmpty ? null : createButton}>
        <Text size="sm" c="dimmed">
          {words.pageDescription}
        </Text>
      </PageHead>
      <CreateKey opened={isCreating} onClose={creating.close} />
      {apiKeys.isPending && <LoadingRows rows={3} height={60} />}
      {apiKeys.isLoadingError && <ProblemState error={apiKeys.error} retry={() => void apiKeys.refetch()} />}
      {isEmpty && (
        <NothingYet
          icon={<IconKey />}
          title={words.noneYet}
          actions={createButton}
          document="reference/api/index.md"
        >
          {words.noneYetHint}
        </NothingYet>
      )}
      {apiKeys.data !== undefined && !isEmpty && (
        <ListTable
          head={
            <>
              <Table.Th>{common.name}</Table.Th>
              <Table.Th visibleFrom="xs">{words.access}</Table.Th>
              <Table.Th>{words.lastUsed}</Table.Th>
              <Table.Th visibleFrom="sm">{words.created}</Table.Th>
              <Table.Th visibleFrom="sm">{words.expires}</Table.Th>
              <ActionsHead />
            </>
          }
        >
          {apiKeys.data.map((apiKey) => (
            <KeyRow key={apiKey.id} apiKey={apiKey} onRevoke={() => askRevoke(apiKey)} />
          ))}
        </ListTable>
      )}
    </>
  );
}
