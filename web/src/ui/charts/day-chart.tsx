/**
 * A panel with numbers by day: a legend in words with the sums, the chart, and the same numbers as a table, which
 * screen readers always find and everybody else can switch to. Its height is the same in every state.
 */
import './charts.css';
import { ActionIcon, Box, Center, Group, Skeleton, Stack, Table, Text, Title, Tooltip } from '@mantine/core';
import { useToggle } from '@mantine/hooks';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../lazy-part.js';
import { formatCount } from '../numbers.js';
import { type DayRow, longDay, numberOf, type Series, totalOf } from './days.js';

const DayBars = lazyPart(() => import('./day-bars.js'), 'DayBars');

interface DayChartProps {
  readonly title: string;
  readonly rows: readonly DayRow[];
  readonly series: readonly Series[];
  /** At the right of the title; below the legend on a phone. */
  readonly aside?: ReactNode;
  /** What stands there when all numbers are zero. */
  readonly nothing: string;
  /** The numbers are those of another choice, while new ones are on their way. */
  readonly isStale?: boolean;
  readonly height?: number;
}

function DayTable({ title, rows, series }: Pick<DayChartProps, 'title' | 'rows' | 'series'>) {
  return (
    <Table verticalSpacing={4}>
      <caption className="chart-unseen">{title}, by day</caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Day</Table.Th>
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
              {longDay(row.day)}
            </Table.Th>
            {series.map(({ name }) => (
              <Table.Td key={name} ta="right">
                {formatCount(numberOf(row, name))}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const Legend = ({ rows, series }: Pick<DayChartProps, 'rows' | 'series'>) => (
  <Group component="ul" gap="md" m={0} p={0} style={{ listStyle: 'none', rowGap: 4 }}>
    {series.map(({ name, label, color }) => (
      <Group component="li" key={name} gap={6} wrap="nowrap">
        <span className="chart-mark" style={{ background: color }} aria-hidden="true" />
        <Text size="sm" c="dimmed">
          {label}{' '}
          <Text span inherit c="var(--mantine-color-text)" fw={500}>
            {formatCount(totalOf(rows, name))}
          </Text>
        </Text>
      </Group>
    ))}
  </Group>
);

export function DayChart(props: DayChartProps) {
  const { title, rows, series, aside, nothing, isStale = false, height = 220 } = props;
  const [view, switchView] = useToggle(['chart', 'table'] as const);
  const isTable = view === 'table';
  const isEmpty = series.every(({ name }) => totalOf(rows, name) === 0);
  const switchWords = isTable ? 'Show as chart' : 'Show as table';
  const table = <DayTable title={title} rows={rows} series={series} />;
  return (
    <Box component="section" className="panel" p="md" aria-label={title}>
      <Group justify="space-between" gap="xs" mih={28} mb={4} wrap="nowrap">
        <Title order={2}>{title}</Title>
        <Box visibleFrom="sm" ml="auto">
          {aside}
        </Box>
        <Tooltip label={switchWords}>
          <ActionIcon variant="subtle" color="gray" aria-label={switchWords} onClick={() => switchView()}>
            {isTable ? <IconChartBar size={17} stroke={1.6} /> : <IconTable size={17} stroke={1.6} />}
          </ActionIcon>
        </Tooltip>
      </Group>
      <Stack gap={4} mb="sm" mih={22}>
        <Legend rows={rows} series={series} />
        <Box hiddenFrom="sm">{aside}</Box>
      </Stack>
      <Box h={height} pos="relative" className={isStale ? 'chart-stale' : undefined}>
        {isTable && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <section className="chart-table" style={{ height }} tabIndex={0} aria-label={`${title}, table`}>
            {table}
          </section>
        )}
        {!isTable && isEmpty && (
          <Center h={height}>
            <Text size="sm" c="dimmed">
              {nothing}
            </Text>
          </Center>
        )}
        {!isTable && !isEmpty && (
          <>
            <div aria-hidden="true">
              <Suspense fallback={<Skeleton h={height} />}>
                <DayBars rows={rows} series={series} height={height} />
              </Suspense>
            </div>
            <div className="chart-unseen">{table}</div>
          </>
        )}
      </Box>
    </Box>
  );
}

export const LoadingDayChart = ({ height = 220 }: { readonly height?: number }) => (
  <Box className="panel" p="md" aria-hidden>
    <Group mih={28} mb={4}>
      <Skeleton h={16} w={120} />
    </Group>
    <Group mih={22} mb="sm">
      <Skeleton h={12} w={260} />
    </Group>
    <Skeleton h={height} />
  </Box>
);
