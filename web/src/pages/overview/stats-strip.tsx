/** The last thirty days of a form or a project in one line; leads to its charts. */
import { Group, Skeleton, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link } from 'wouter';
import { type Owner, useStats } from '../../queries.js';
import { DayStrip } from '../../ui/charts/day-strip.js';
import { formatCount } from '../../ui/numbers.js';

const days = 30;

export function StatsStrip({ owner }: { readonly owner: Owner }) {
  const scope = 'formId' in owner ? { form_id: owner.formId } : { project_id: owner.projectId };
  const stats = useStats({ days, ...scope });
  if (stats.data === undefined) {
    // The page works without it; where the numbers cannot be had, their place stays empty.
    return <Skeleton h={24} w={300} maw="100%" visible={stats.isPending} animate={stats.isPending} />;
  }
  const sum = (name: 'received' | 'failed') => stats.data.days.reduce((total, day) => total + day[name], 0);
  const failed = sum('failed');
  return (
    <Link
      href={`/?${new URLSearchParams(scope as Record<string, string>)}`}
      className="plain-link"
      style={{ width: 'fit-content' }}
    >
      <Group gap="sm" mih={24} wrap="nowrap">
        <DayStrip counts={stats.data.days.map(({ received }) => received)} />
        <Text size="sm" c="dimmed">
          {days} days · {formatCount(sum('received'))} received
          {failed > 0 && (
            <>
              {' · '}
              <Text span inherit c="var(--mantine-color-error)" style={{ whiteSpace: 'nowrap' }}>
                <IconX size={13} stroke={2.6} style={{ verticalAlign: '-1.5px' }} aria-hidden />{' '}
                {formatCount(failed)} failed
              </Text>
            </>
          )}
        </Text>
      </Group>
    </Link>
  );
}
