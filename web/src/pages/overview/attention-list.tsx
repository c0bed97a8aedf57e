/** What needs attention, each item with a link to fix it. */
import { Anchor, Box, Group, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconFlask,
  IconMailX,
  IconPower,
  IconServer,
  IconShieldHalf,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link } from 'wouter';
import { useAttention, useProjects } from '../../queries.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Attention, AttentionKind } from '../../wire.js';
import * as words from '../../words/overview.js';
import { asSentence, attentionWords, detailWords, withoutRepeats } from './attention-words.js';

const looks: Readonly<Record<AttentionKind, { readonly icon: TablerIcon; readonly color: string }>> = {
  receiver_failing: { icon: IconX, color: 'red' },
  sandbox_in_use: { icon: IconFlask, color: 'gray' },
  quarantine_waiting: { icon: IconShieldHalf, color: 'violet' },
  disk_low: { icon: IconServer, color: 'red' },
  mail_failing: { icon: IconMailX, color: 'red' },
  destination_failing: { icon: IconAlertTriangle, color: 'amber' },
  destination_disabled: { icon: IconPower, color: 'red' },
};

/** Failing since when, and the number of waiting deliveries. */
const Standing = ({ destination }: { readonly destination: NonNullable<Attention['destination']> }) => (
  <>
    {destination.failing_since !== null && (
      <>{words.firstFailure(<RelativeTime iso={destination.failing_since} />)} </>
    )}
    {destination.waiting > 0 && `${words.deliveriesWaiting(destination.waiting)} `}
  </>
);

function AttentionRow({ item }: { readonly item: Attention }) {
  const { icon: Icon, color } = looks[item.kind] ?? { icon: IconAlertTriangle, color: 'gray' };
  const { advice, action, to } = attentionWords(item);
  const projects = useProjects();
  const project = projects.data?.find(({ id }) => id === item.project_id);
  const place = item.form_name ?? (item.destination === null ? null : (project?.name ?? null));
  return (
    <Group component="li" className="row" wrap="nowrap" gap="sm" p="sm" align="center">
      <ThemeIcon variant="light" color={color} size={28} radius="xl" aria-hidden>
        <Icon size={16} stroke={1.8} />
      </ThemeIcon>
      <Group justify="space-between" gap={0} style={{ flex: 1, minWidth: 0, columnGap: 'var(--space-4)' }}>
        <Box style={{ flex: '1 1 18rem', minWidth: 0 }}>
          <Text size="sm">
            {place === null ? (
              <Untrusted>{asSentence(detailWords(item))}</Untrusted>
            ) : (
              <>
                <Text span inherit fw={600}>
                  <Untrusted>{place}</Untrusted>
                </Text>
                : <Untrusted>{detailWords(item)}</Untrusted>
              </>
            )}
          </Text>
          <Text size="sm" c="dimmed">
            {item.destination !== null && <Standing destination={item.destination} />}
            {advice}
          </Text>
        </Box>
        <Anchor component={Link} href={to} size="sm" className="row-link">
          {action}
        </Anchor>
      </Group>
    </Group>
  );
}

export function AttentionList() {
  const attention = useAttention();
  return (
    <Box component="section" aria-labelledby="attention-title">
      <Title order={2} id="attention-title" pb="xs">
        {words.needsAttention}
      </Title>
      {attention.isPending && (
        <Group h={56} aria-hidden>
          <Skeleton h={28} w={28} circle />
          <Skeleton h={12} w="40%" />
        </Group>
      )}
      {attention.isLoadingError && (
        <ProblemState error={attention.error} retry={() => void attention.refetch()} />
      )}
      {attention.data?.length === 0 && (
        <Group gap="sm" wrap="nowrap">
          <ThemeIcon variant="light" color="green" size={28} radius="xl" aria-hidden>
            <IconCheck size={16} stroke={1.8} />
          </ThemeIcon>
          <Text size="sm" c="dimmed">
            {words.attentionNone}
          </Text>
        </Group>
      )}
      {attention.data !== undefined && attention.data.length > 0 && (
        <Stack component="ul" gap={0} className="list">
          {withoutRepeats(attention.data).map((item) => (
            <AttentionRow key={`${item.kind} ${item.form_id} ${item.detail}`} item={item} />
          ))}
        </Stack>
      )}
    </Box>
  );
}
