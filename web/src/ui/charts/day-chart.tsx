/**
 * Numbers by day: a legend with the sums, the chart, and the same numbers as a table to switch to. The height is the same in every
 * state.
 */
import * as words from '../../words/charts.js';
import './charts.css';
import {
  ActionIcon,
  Box,
  Center,
  Group,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { useToggle } from '@mantine/hooks';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatLongDay, formatNumber } from '../../words/format.js';
import { DayBars } from './day-bars.js';
import { type DayRow, fromFirstNumber, numberOf, type Series, totalOf } from './days.js';

interface DayChartProps {
  readonly title: string;
  readonly rows: readonly DayRow[];
  readonly series: readonly Series[];
  /** To the right of the title; below the legend on a phone. */
  readonly aside?: ReactNode;
  /** Shown when all numbers are zero. */
  readonly nothing: string;
  /** The numbers are of the previous selection while new ones load. */
  readonly isStale?: boolean;
  readonly height?: number;
}

function DayTable({ title, rows, series }: Pick<DayChartProps, 'title' | 'rows' | 'series'>) {
  return (
    <Table verticalSpacing={4}>
      <VisuallyHidden component="caption">{words.byDay(title)}</VisuallyHidden>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{words.day}</Table.Th>
          {series.map(({ name, label }) => (
            <Table.Th key={name} scope="col" ta="right">
              {label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.toReversed().map((row) => (
          <Table.Tr key={row.day}>
            <Table.Th scope="row" fw={400}>
              {formatLongDay(row.day)}
            </Table.Th>
            {series.map(({ name }) => (
              <Table.Td key={name} ta="right">
                {formatNumber(numberOf(row, name))}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const Legend = ({ rows, series }: Pick<DayChartProps, 'rows' | 'series'>) => (
  <Group component="ul" gap="md" m={0} p={0} style={{ listStyle: 'none', rowGap: 'var(--space-1)' }}>
    {series.map(({ name, label, color }) => (
      <Group component="li" key={name} gap={8} wrap="nowrap">
        <span className="chart-mark" style={{ background: color }} aria-hidden="true" />
        <Text size="sm" c="dimmed">
          {label}{' '}
          <Text span inherit c="var(--inlet-text)" fw={500}>
            {formatNumber(totalOf(rows, name))}
          </Text>
        </Text>
      </Group>
    ))}
  </Group>
);

export function DayChart(props: DayChartProps) {
  const { title, series, aside, nothing, isStale = false, height = 220 } = props;
  const rows = fromFirstNumber(props.rows, (row) => series.some(({ name }) => numberOf(row, name) > 0));
  const [view, switchView] = useToggle(['chart', 'table'] as const);
  const isTable = view === 'table';
  const isEmpty = series.every(({ name }) => totalOf(rows, name) === 0);
  const switchWords = isTable ? words.showAsChart : words.showAsTable;
  return (
    <Box component="section" aria-label={title}>
      <Group justify="space-between" gap="xs" mih={32} mb={4} wrap="nowrap">
        <Title order={2}>{title}</Title>
        <Box visibleFrom="sm" ml="auto">
          {aside}
        </Box>
        <Tooltip label={switchWords}>
          <ActionIcon variant="subtle" color="gray" aria-label={switchWords} onClick={() => switchView()}>
            {isTable ? <IconChartBar /> : <IconTable />}
          </ActionIcon>
        </Tooltip>
      </Group>
      <Stack gap={4} mb="sm" mih={24}>
        <Legend rows={rows} series={series} />
        <Box hiddenFrom="sm">{aside}</Box>
      </Stack>
      <Box h={height} pos="relative" className={isStale ? 'chart-stale' : undefined}>
        {isTable && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <section className="chart-table" style={{ height }} tabIndex={0} aria-label={words.table(title)}>
            <DayTable title={title} rows={rows} series={series} />
          </section>
        )}
        {!isTable && isEmpty && (
          <Center h={height}>
            <Text size="sm" c="dimmed">
              {nothing}
            </Text>
          </Center>
        )}
        {!isTable && !isEmpty && <DayBars rows={rows} series={series} height={height} />}
      </Box>
    </Box>
  );
}

export const LoadingDayChart = ({ height = 220 }: { readonly height?: number }) => (
  <Box aria-hidden>
    <Group mih={32} mb={4}>
      <Skeleton h={16} w={120} />
    </Group>
    <Group mih={24} mb="sm">
      <Skeleton h={12} w={260} />
    </Group>
    <Skeleton h={height} />
  </Box>
);
