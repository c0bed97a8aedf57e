/** Submissions received, rejected and quarantined per day, and their sources. */
import { SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useFormSources, useStats } from '../../queries.js';
import { DayChart, LoadingDayChart } from '../../ui/charts/day-chart.js';
import { ProblemState } from '../../ui/problem-state.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as common from '../../words/common.js';
import * as words from '../../words/form.js';
import { formatNumber } from '../../words/format.js';
import { arrivals, rowOf } from '../overview/series.js';
import type { FormTabProps } from './form-tab.js';

const days = 30;

interface SourceListProps {
  readonly title: string;
  /** What a row stands for. */
  readonly noun: string;
  readonly rows: readonly { readonly name: string; readonly count: number }[];
}

const SourceList = ({ title, noun, rows }: SourceListProps) => (
  <Stack gap="xs">
    <Title order={2}>{title}</Title>
    {rows.length === 0 ? (
      <Text size="sm" c="dimmed">
        {words.noPagesNamed(days)}
      </Text>
    ) : (
      <Table.ScrollContainer type="native" minWidth={260} className="list">
        <Table aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{noun}</Table.Th>
              <Table.Th ta="right">{common.submissions}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ name, count }) => (
              <Table.Tr key={name}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  <Untrusted>{name}</Untrusted>
                </Table.Td>
                <Table.Td ta="right">{formatNumber(count)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    )}
  </Stack>
);

function SourceLists({ formId }: { readonly formId: string }) {
  const sources = useFormSources(formId);
  if (sources.isLoadingError)
    return <ProblemState error={sources.error} retry={() => void sources.refetch()} />;
  if (sources.isPending) return <Skeleton h={160} />;
  const { pages, referrers, submissions, is_complete } = sources.data;
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <SourceList
          title={words.topPages}
          noun={words.page}
          rows={pages.map(({ page, count }) => ({ name: page, count }))}
        />
        <SourceList
          title={words.topSites}
          noun={words.site}
          rows={referrers.map(({ host, count }) => ({ name: host, count }))}
        />
      </SimpleGrid>
      {!is_complete && (
        <Text size="sm" c="dimmed">
          {words.countedOver(submissions, days)}
        </Text>
      )}
    </Stack>
  );
}

export function NumbersTab({ form }: FormTabProps) {
  const stats = useStats({ days, form_id: form.id });
  if (stats.isLoadingError) return <ProblemState error={stats.error} retry={() => void stats.refetch()} />;
  return (
    <Stack gap="md">
      {stats.data === undefined ? (
        <LoadingDayChart />
      ) : (
        <DayChart
          title={common.submissions}
          rows={stats.data.days.map(rowOf)}
          series={arrivals}
          nothing={words.nothingReceivedIn(days)}
          isStale={stats.isPlaceholderData}
        />
      )}
      <SourceLists formId={form.id} />
    </Stack>
  );
}
