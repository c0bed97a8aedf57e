/** Finds the data stored about a person, exports it as a file, and erases it. */
import { Alert, Anchor, Button, Group, Input, Stack, Table, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, apiUrl, refusalOf, withSession, wordsOf } from '../../api.js';
import { ConfirmByTyping } from '../../ui/confirm-by-typing.js';
import { ListTable } from '../../ui/list-table.js';
import { PageHead } from '../../ui/page-head.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { saveFile } from '../../ui/save-file.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { Erasure, PersonFindings } from '../../wire.js';
import { formatNumber } from '../../words/format.js';
import * as words from '../../words/person.js';
import * as places from '../../words/places.js';
import { Erasures, erasuresKey } from './erasures.js';

const maxLength = 254;

async function exportPerson(q: string): Promise<void> {
  const send = () =>
    fetch(apiUrl('/persons/export'), {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ q }),
    });
  const response = await withSession(send);
  if (!response.ok) throw await refusalOf(response);
  saveFile(await response.blob(), 'person.zip');
}

const Counts = ({ counts }: Pick<PersonFindings, 'counts'>) => (
  <ListTable
    minWidth={280}
    head={
      <>
        <Table.Th>{words.where}</Table.Th>
        <Table.Th ta="right">{words.entries}</Table.Th>
      </>
    }
  >
    {Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([place, count]) => (
        <Table.Tr key={place} h={40}>
          <Table.Td>{words.placeNames[place] ?? place}</Table.Td>
          <Table.Td ta="right">{formatNumber(count)}</Table.Td>
        </Table.Tr>
      ))}
  </ListTable>
);

/** Lists each submission once, under its first match: matches in the submission come before those in its deliveries. */
function Examples({ examples, truncated }: PersonFindings) {
  const found = examples.flatMap((one) => (one.submission_id ? [[one.submission_id, one] as const] : []));
  const byId = new Map(found.toReversed());
  if (byId.size === 0) return null;
  return (
    <>
      <ListTable
        minWidth={360}
        head={
          <>
            <Table.Th>{words.where}</Table.Th>
            <Table.Th>{words.stored}</Table.Th>
            <Table.Th>{words.submission}</Table.Th>
          </>
        }
      >
        {[...byId].toReversed().map(([id, { place, created_at }]) => (
          <Table.Tr key={id} h={40}>
            <Table.Td>{words.placeNames[place] ?? place}</Table.Td>
            <Table.Td c="dimmed">{created_at && <RelativeTime iso={created_at} />}</Table.Td>
            <Table.Td>
              <Anchor component={Link} href={`/submissions/${id}`} inherit>
                {words.open}
              </Anchor>
            </Table.Td>
          </Table.Tr>
        ))}
      </ListTable>
      {truncated && (
        <Text size="sm" c="dimmed">
          {words.truncated}
        </Text>
      )}
    </>
  );
}

function Findings({ q, found, onErased }: { q: string; found: PersonFindings; onErased: () => void }) {
  const client = useQueryClient();
  const [isAsking, asking] = useDisclosure();
  const exporting = useMutation({
    mutationFn: () => exportPerson(q),
    onSuccess: () => tellDone(words.exported),
    onError: (error) => tellFailure(words.notExported, error),
  });
  const erase = async () => {
    await api.post<Erasure>('/persons/erase', { q });
    tellDone(words.erasing);
    onErased();
    await client.invalidateQueries({ queryKey: erasuresKey });
  };
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2}>{words.found(found.total)}</Title>
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconDownload />}
            loading={exporting.isPending}
            onClick={() => exporting.mutate()}
          >
            {words.exportAll}
          </Button>
          <Button color="red" leftSection={<IconTrash />} onClick={asking.open}>
            {words.erase}
          </Button>
        </Group>
      </Group>
      <Counts counts={found.counts} />
      <Examples {...found} />
      <ConfirmByTyping
        opened={isAsking}
        onClose={asking.close}
        title={words.eraseTitle}
        phrase={q}
        action={words.erase}
        onConfirm={erase}
      >
        {words.eraseWarning}
      </ConfirmByTyping>
    </Stack>
  );
}

export function PersonPage() {
  const [q, setQ] = useState('');
  const search = useMutation({
    mutationFn: (asked: string) => api.post<PersonFindings>('/persons/search', { q: asked }),
  });
  return (
    <>
      <PageHead title={places.person}>
        <Text size="sm" c="dimmed">
          {words.description}
        </Text>
      </PageHead>
      <Stack gap="lg">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (q.trim() !== '') search.mutate(q.trim());
          }}
        >
          <Input.Wrapper
            label={words.who}
            description={words.whoHint}
            error={search.isError && wordsOf(search.error)}
            errorProps={{ role: 'alert', mt: 4 }}
          >
            <Group gap="xs" align="flex-end">
              <Input
                flex={1}
                miw="12rem"
                maw={560}
                value={q}
                maxLength={maxLength}
                onChange={(event) => setQ(event.currentTarget.value)}
                error={search.isError}
                autoComplete="off"
              />
              <Button type="submit" loading={search.isPending} disabled={q.trim() === ''}>
                {words.find}
              </Button>
            </Group>
          </Input.Wrapper>
        </form>
        {search.data?.total === 0 && (
          <Alert color="gray" title={words.notFound}>
            {words.notFoundHint}
          </Alert>
        )}
        {search.data !== undefined && search.data.total > 0 && (
          <Findings q={search.variables ?? ''} found={search.data} onErased={search.reset} />
        )}
        <Erasures />
      </Stack>
    </>
  );
}
