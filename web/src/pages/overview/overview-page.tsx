/** Shows whether everything arrives. Users who may create a project are redirected to the first run while there is none. */
import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import { Redirect, useSearchParams } from 'wouter';
import { useAllForms } from '../../account-queries.js';
import { useMay } from '../../may.js';
import { useAttention, useProjects, useStats } from '../../queries.js';
import { DayChart, LoadingDayChart } from '../../ui/charts/day-chart.js';
import { fromFirstNumber, hasNumber } from '../../ui/charts/days.js';
import { DaysControl, daysOf } from '../../ui/days-control.js';
import { LoadingPage } from '../../ui/loading.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { useNow } from '../../ui/relative-time.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Stats } from '../../wire.js';
import * as common from '../../words/common.js';
import { formatShortDay } from '../../words/format.js';
import * as words from '../../words/overview.js';
import { AttentionList } from './attention-list.js';
import { failingIn, failingWords } from './failing.js';
import { type Scope, ScopeSelect } from './scope-select.js';
import { arrivals, deliveries, rowOf } from './series.js';
import { verdictOf } from './verdict.js';

const shapes = {
  good: { icon: IconCheck, color: 'var(--chart-delivered)' },
  warning: { icon: IconAlertTriangle, color: 'var(--chart-waiting)' },
  bad: { icon: IconX, color: 'var(--mantine-color-error)' },
  quiet: { icon: IconMinus, color: 'var(--mantine-color-dimmed)' },
} as const;

/** Shows no verdict until the failing destinations are known. */
function VerdictLine({ stats, scope }: { readonly stats: Stats | undefined; readonly scope: Scope }) {
  const attention = useAttention();
  const forms = useAllForms();
  const now = useNow();
  if (stats === undefined || attention.data === undefined) return <Skeleton h={22} w={320} maw="100%" />;
  const projectOf = (formId: string) => forms.find(({ id }) => id === formId)?.projectId;
  const failing = failingIn(scope, projectOf, attention.data);
  const { state, words: said } = verdictOf(stats.days, failingWords(failing, now));
  const { icon: Icon, color } = shapes[state];
  return (
    <Group gap={8} wrap="nowrap" mih={22} role="status" data-state={state}>
      <Icon size={16} stroke={2.4} color={color} style={{ flex: 'none' }} aria-hidden />
      <Text size="sm">
        <Untrusted>{said}</Untrusted>
      </Text>
    </Group>
  );
}

function Speed({ delivery_ms: { p50, p95 } }: Pick<Stats, 'delivery_ms'>) {
  if (p50 === null) return null;
  return (
    <Text size="sm" c="dimmed">
      {words.speed(p50, p95)}
    </Text>
  );
}

/** Why the chart covers fewer days than selected. */
const FirstData = ({ day }: { readonly day: string }) => (
  <Text size="sm" c="dimmed">
    {words.firstData(formatShortDay(day))}
  </Text>
);

const scopeOf = (search: URLSearchParams): Scope => {
  const [form, project] = [search.get('form_id'), search.get('project_id')];
  if (form !== null) return { form_id: form };
  return project === null ? {} : { project_id: project };
};

function Numbers({ days, scope }: { readonly days: number; readonly scope: Scope }) {
  const stats = useStats({ days, ...scope });
  if (stats.isLoadingError) return <ProblemState error={stats.error} retry={() => void stats.refetch()} />;
  const all = stats.data?.days ?? [];
  const rows = fromFirstNumber(all.map(rowOf));
  // The oldest days may have too many deliveries to count: no bar is better than a zero bar.
  const countedDays = all.filter(({ deliveries: standing }) => standing !== null).length;
  const counted = rows.slice(Math.max(0, rows.length - countedDays));
  const first = rows.length < all.length ? rows.find(hasNumber) : undefined;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      {stats.data === undefined ? (
        <>
          <LoadingDayChart />
          <LoadingDayChart />
        </>
      ) : (
        <>
          <DayChart
            title={common.submissions}
            rows={rows}
            series={arrivals}
            {...(first && { aside: <FirstData day={first.day} /> })}
            nothing={words.nothingReceivedIn(days)}
            isStale={stats.isPlaceholderData}
          />
          <DayChart
            title={common.deliveries}
            rows={counted}
            series={deliveries}
            aside={<Speed delivery_ms={stats.data.delivery_ms} />}
            nothing={words.nothingSentIn(days)}
            isStale={stats.isPlaceholderData}
          />
        </>
      )}
    </SimpleGrid>
  );
}

export function OverviewPage() {
  const projects = useProjects();
  const mayCreate = useMay('projects.create');
  const [search, setSearch] = useSearchParams();
  const days = daysOf(search.get('days'));
  const scope = scopeOf(search);
  const stats = useStats({ days, ...scope });
  const show = (next: { readonly days?: number; readonly scope?: Scope }) =>
    setSearch(
      new URLSearchParams({ ...(next.scope ?? scope), days: String(next.days ?? days) } as Record<
        string,
        string
      >),
      { replace: true },
    );
  if (projects.isPending) return <LoadingPage />;
  if (projects.isLoadingError)
    return <ProblemState error={projects.error} retry={() => void projects.refetch()} />;
  if (projects.data.length === 0 && mayCreate) return <Redirect to="/first-run" replace />;
  return (
    <>
      <PageHead
        title={words.overview}
        actions={
          <>
            <ScopeSelect scope={scope} onScope={(chosen) => show({ scope: chosen })} />
            <DaysControl days={days} onDays={(chosen) => show({ days: chosen })} />
          </>
        }
      >
        <VerdictLine stats={stats.data} scope={scope} />
      </PageHead>
      <Stack gap="md">
        <Numbers days={days} scope={scope} />
        <AttentionList />
      </Stack>
    </>
  );
}
