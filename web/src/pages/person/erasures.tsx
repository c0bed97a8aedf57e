/** The account's erasures, with their progress and receipts. */
import { Button, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.js';
import { ListTable } from '../../ui/list-table.js';
import { LoadingRows } from '../../ui/loading.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { saveFile } from '../../ui/save-file.js';
import type { Erasure, ErasureList } from '../../wire.js';
import * as words from '../../words/person.js';

export const erasuresKey = ['erasures'];
const whileRunningMs = 1_000;

const useErasures = () =>
  useQuery({
    queryKey: erasuresKey,
    queryFn: ({ signal }) => api.get<ErasureList>('/erasures', {}, signal),
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === 'running') ? whileRunningMs : false,
  });

const totalOf = ({ counts }: Erasure): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const save = ({ id, receipt }: Erasure): void =>
  saveFile(
    new Blob([`${JSON.stringify(receipt, null, 2)}\n`], { type: 'application/json' }),
    `erasure-${id}.json`,
  );

const Row = (erasure: Erasure) => (
  <Table.Tr h={47}>
    <Table.Td>
      <RelativeTime iso={erasure.created_at} />
    </Table.Td>
    <Table.Td>{words.stages[erasure.stage]}</Table.Td>
    <Table.Td c="dimmed">{words.erasedEntries(totalOf(erasure))}</Table.Td>
    <Table.Td ta="right">
      {erasure.receipt !== null && (
        <Button variant="default" size="xs" onClick={() => save(erasure)}>
          {words.receipt}
        </Button>
      )}
    </Table.Td>
  </Table.Tr>
);

export function Erasures() {
  const erasures = useErasures();
  const rows = erasures.data?.data ?? [];
  return (
    <Stack component="section" aria-label={words.erasures} gap="xs">
      <Title order={2}>{words.erasures}</Title>
      <Text size="sm" c="dimmed">
        {erasures.isSuccess && rows.length === 0 ? words.noErasures : words.erasuresHint}
      </Text>
      {erasures.isPending && <LoadingRows rows={2} height={47} />}
      {erasures.isLoadingError && (
        <ProblemState error={erasures.error} retry={() => void erasures.refetch()} />
      )}
      {rows.length > 0 && (
        <ListTable
          minWidth={460}
          head={
            <>
              <Table.Th>{words.begun}</Table.Th>
              <Table.Th>{words.status}</Table.Th>
              <Table.Th>{words.erased}</Table.Th>
              <Table.Th />
            </>
          }
        >
          {rows.map((erasure) => (
            <Row key={erasure.id} {...erasure} />
          ))}
        </ListTable>
      )}
    </Stack>
  );
}
