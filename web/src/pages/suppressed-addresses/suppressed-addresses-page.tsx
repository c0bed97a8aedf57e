/** Addresses that receive no more e-mail, each with the reason and a way to lift the suppression. */

import { Button, Group, Table, Text } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api.js';
import { useMay } from '../../may.js';
import { beginning } from '../../ui/bounded-text.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { ActionsHead, ListTable } from '../../ui/list-table.js';
import { LoadingRows } from '../../ui/loading.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { SuppressedAddress, SuppressedAddressList } from '../../wire.js';
import * as common from '../../words/common.js';
import * as places from '../../words/places.js';
import * as words from '../../words/suppressed-addresses.js';

const queryKey = ['suppressed-addresses'];
const perPage = 50;

const useSuppressed = () =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      api.get<SuppressedAddressList>('/suppressed-addresses', { limit: perPage, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

function LiftButton({ id, address }: SuppressedAddress) {
  const client = useQueryClient();
  const lift = useMutation({
    mutationFn: () => api.delete(`/suppressed-addresses/${id}`),
    onSuccess: () => {
      tellDone(words.lifted(address));
      return client.invalidateQueries({ queryKey });
    },
    onError: (error) => tellFailure(words.notLifted, error),
  });
  if (!useMay('suppressed_addresses.manage')) return null;
  return (
    <Button
      variant="default"
      size="xs"
      loading={lift.isPending}
      onClick={() => lift.mutate()}
      aria-label={shownCharacters(words.liftNamed(address))}
    >
      {words.lift}
    </Button>
  );
}

const Row = (item: SuppressedAddress) => (
  <Table.Tr h={47}>
    <Table.Td fw={500}>
      <Untrusted>{item.address}</Untrusted>
    </Table.Td>
    <Table.Td>
      <span>{words.reasons[item.reason]}</span>
      {item.detail !== '' && (
        <Text size="sm" c="dimmed">
          <Untrusted>{beginning(item.detail, 300)}</Untrusted>
        </Text>
      )}
    </Table.Td>
    <Table.Td c="dimmed">{item.destination_id === null ? words.allMails : words.oneDestination}</Table.Td>
    <Table.Td c="dimmed">
      <RelativeTime iso={item.created_at} />
    </Table.Td>
    <Table.Td ta="right">
      <LiftButton {...item} />
    </Table.Td>
  </Table.Tr>
);

export function SuppressedAddressesPage() {
  const suppressed = useSuppressed();
  const rows = suppressed.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <PageHead title={places.suppressedAddresses}>
        <Text size="sm" c="dimmed">
          {words.description}
        </Text>
      </PageHead>
      {suppressed.isPending && <LoadingRows rows={3} height={47} />}
      {suppressed.isLoadingError && (
        <ProblemState error={suppressed.error} retry={() => void suppressed.refetch()} />
      )}
      {suppressed.isSuccess && rows.length === 0 && (
        <NothingYet
          icon={<IconMailOff size={32} stroke={1.4} />}
          title={words.nothing}
          document="guides/email.md"
        >
          {words.nothingHint}
        </NothingYet>
      )}
      {rows.length > 0 && (
        <ListTable
          minWidth={560}
          head={
            <>
              <Table.Th>{common.emailAddress}</Table.Th>
              <Table.Th>{words.reason}</Table.Th>
              <Table.Th>{words.scope}</Table.Th>
              <Table.Th>{words.since}</Table.Th>
              <ActionsHead />
            </>
          }
        >
          {rows.map((item) => (
            <Row key={item.id} {...item} />
          ))}
        </ListTable>
      )}
      {suppressed.hasNextPage && (
        <Group mt="md">
          <Button
            variant="default"
            loading={suppressed.isFetchingNextPage}
            onClick={() => void suppressed.fetchNextPage()}
          >
            {words.showMore}
          </Button>
        </Group>
      )}
    </>
  );
}
