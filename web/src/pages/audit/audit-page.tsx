/** The audit log of the account: who did what, from where, and what changed. */
import { Button, Group, Select, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAuditLog, useNamesNow } from '../../account-queries.js';
import { apiUrl } from '../../api.js';
import { rangeOf } from '../../inbox/filter-params.js';
import { useCoalescedAtTop, useLive } from '../../live.js';
import { ActionsHead, ListTable } from '../../ui/list-table.js';
import { LoadingRows } from '../../ui/loading.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import type { AuditPage as Page } from '../../wire.js';
import * as words from '../../words/audit.js';
import * as places from '../../words/places.js';
import { EntryRow } from './entry-row.js';

const typingMs = 300;

interface Filters {
  readonly actor: string;
  readonly area: string;
  /** Local days, as the inputs give them; empty: none. */
  readonly since: string;
  readonly until: string;
}

const queryOf = ({ actor, area, since, until }: Filters) => {
  const { since: from, until: to } = rangeOf(since, until);
  return {
    actor: actor.trim() === '' ? undefined : actor.trim(),
    action: area === 'any' ? undefined : area,
    from,
    to,
  };
};

interface FilterBarProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const FilterBar = ({ filters, onChange }: FilterBarProps) => (
  <Group gap="xs" mb="sm" align="end">
    <Select
      w={{ base: '100%', sm: 190 }}
      label={words.area}
      value={filters.area}
      onChange={(area) => onChange({ ...filters, area: area ?? 'any' })}
      data={[
        { value: 'any', label: words.anything },
        ...Object.entries(words.areas).map(([value, label]) => ({ value, label })),
      ]}
      allowDeselect={false}
      searchable
    />
    <TextInput
      w={{ base: '100%', sm: 260 }}
      label={words.who}
      placeholder={words.byWhom}
      maxLength={300}
      value={filters.actor}
      onChange={({ currentTarget }) => onChange({ ...filters, actor: currentTarget.value })}
    />
    <TextInput
      w={{ base: 'calc(50% - 0.25rem)', sm: 160 }}
      type="date"
      label={words.since}
      value={filters.since}
      onChange={({ currentTarget }) => onChange({ ...filters, since: currentTarget.value })}
    />
    <TextInput
      w={{ base: 'calc(50% - 0.25rem)', sm: 160 }}
      type="date"
      label={words.until}
      value={filters.until}
      onChange={({ currentTarget }) => onChange({ ...filters, until: currentTarget.value })}
    />
  </Group>
);

const ExportLinks = ({ filters }: { readonly filters: Filters }) => (
  <Group gap="xs">
    {(['csv', 'ndjson'] as const).map((format) => (
      <Button
        key={format}
        component="a"
        href={apiUrl('/audit/export', { ...queryOf(filters), format })}
        download
        variant="default"
        leftSection={<IconDownload />}
      >
        {format === 'csv' ? words.exportCsv : words.exportJson}
      </Button>
    ))}
  </Group>
);

function Entries({ entries }: { readonly entries: Page['data'] }) {
  const { names, isComplete } = useNamesNow();
  return (
    <ListTable
      head={
        <>
          <ActionsHead />
          <Table.Th>{words.time}</Table.Th>
          <Table.Th>{words.what}</Table.Th>
          <Table.Th visibleFrom="sm">{words.who}</Table.Th>
          <Table.Th visibleFrom="sm">{words.ipAddress}</Table.Th>
        </>
      }
    >
      {entries.map((entry) => (
        <EntryRow
          key={entry.seq}
          entry={entry}
          nameNow={names.get(entry.object.id ?? '') ?? null}
          isEachKnown={isComplete}
        />
      ))}
    </ListTable>
  );
}

export function AuditPage() {
  const client = useQueryClient();
  const [filters, setFilters] = useState<Filters>({ actor: '', area: 'any', since: '', until: '' });
  const [asked] = useDebouncedValue(filters, typingMs);
  const log = useAuditLog(queryOf(asked));
  const look = useCoalescedAtTop(() => void client.invalidateQueries({ queryKey: ['audit'] }));
  useLive({}, { onAudited: look, onMissed: look });
  const entries = log.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <PageHead title={places.auditLog} actions={<ExportLinks filters={asked} />}>
        <Text size="sm" c="dimmed">
          {words.description}
        </Text>
      </PageHead>
      <FilterBar filters={filters} onChange={setFilters} />
      {log.isPending && <LoadingRows rows={8} height={47} />}
      {log.isLoadingError && <ProblemState error={log.error} retry={() => void log.refetch()} />}
      {log.isSuccess && entries.length === 0 && (
        <NothingYet
          icon={<IconHistory size={32} stroke={1.4} />}
          title={words.nothing}
          document="guides/audit-log.md"
        >
          {words.nothingHint}
        </NothingYet>
      )}
      {entries.length > 0 && <Entries entries={entries} />}
      {log.hasNextPage && (
        <Group mt="md">
          <Button variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            {words.showMore}
          </Button>
        </Group>
      )}
    </>
  );
}
