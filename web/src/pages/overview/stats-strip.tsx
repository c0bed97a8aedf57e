/** The last thirty days of a form or project on one line, linked to the charts. */
import { Group, Skeleton, Text } from '@mantine/core';
import { IconClock, IconX } from '@tabler/icons-react';
import { Link } from 'wouter';
import { type Owner, useStats } from '../../queries.js';
import { DayStrip } from '../../ui/charts/day-strip.js';
import { fromFirstNumber } from '../../ui/charts/days.js';
import { formatNumber } from '../../words/format.js';
import * as words from '../../words/overview.js';
import { deliverySums } from './delivery-sums.js';
import { rowOf } from './series.js';

const days = 30;
/** With fewer bars it looks like a button. */
const tellingDays = 3;

const states = {
  // Amber is too light for text.
  waiting: { icon: IconClock, color: 'var(--chart-waiting)', words: 'var(--mantine-color-text)' },
  failed: { icon: IconX, color: 'var(--mantine-color-error)', words: 'var(--mantine-color-error)' },
} as const;

/** Shows nothing for zero, so that only problems stand out. */
function Count({ state, count }: { readonly state: keyof typeof states; readonly count: number }) {
  if (count === 0) return null;
  const { icon: Icon, color, words } = states[state];
  return (
    <>
      {' · '}
      <Text span inherit c={words} style={{ whiteSpace: 'nowrap' }}>
        <Icon size={13} stroke={2.6} color={color} style={{ verticalAlign: 'middle' }} aria-hidden />{' '}
        {formatNumber(count)} {state}
      </Text>
    </>
  );
}

export function StatsStrip({ owner }: { readonly owner: Owner }) {
  const scope = 'formId' in owner ? { form_id: owner.formId } : { project_id: owner.projectId };
  const stats = useStats({ days, ...scope });
  if (stats.data === undefined) {
    // The page works without it. If the numbers fail to load, the space stays empty.
    return <Skeleton h={24} w={300} maw="100%" visible={stats.isPending} animate={stats.isPending} />;
  }
  const sum = (name: 'received' | 'refused' | 'quarantined') =>
    stats.data.days.reduce((total, day) => total + day[name], 0);
  const [refused, quarantined] = [sum('refused'), sum('quarantined')];
  const { delivered, waiting, failed } = deliverySums(stats.data.days);
  const counts = fromFirstNumber(stats.data.days.map(rowOf)).map((row) => Number(row.received));
  return (
    <Link
      href={`/?${new URLSearchParams(scope as Record<string, string>)}`}
      className="plain-link"
      style={{ width: 'fit-content' }}
    >
      <Group gap="sm" mih={24} wrap="nowrap">
        {counts.filter((count) => count > 0).length >= tellingDays && <DayStrip counts={counts} />}
        <Text size="sm" c="dimmed">
          {words.receivedIn(days, sum('received'))}
          {refused > 0 && ` · ${words.countRejected(refused)}`}
          {quarantined > 0 && ` · ${words.countQuarantined(quarantined)}`}
          {delivered + waiting + failed > 0 && ` · ${words.countDelivered(delivered)}`}
          <Count state="waiting" count={waiting} />
          <Count state="failed" count={failed} />
        </Text>
      </Group>
    </Link>
  );
}
