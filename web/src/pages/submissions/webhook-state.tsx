/** How the deliveries of one submission stand, on one line of a list: a sign and "2/2", with words on hover. */
import { Group, Skeleton, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.js';
import { meanings } from '../../ui/state-badge.js';
import type { DeliveryItem, WebhookState as State } from '../../wire.js';
import { type Summary, summaryOf } from './delivery-summary.js';

const words: Readonly<Record<State, string>> = {
  delivered: 'delivered',
  pending: 'delivered, the rest is tried again',
  failed: 'delivered, the rest was given up',
};

interface WebhookStateProps {
  readonly submissionId: string;
  /** What the list of deliveries says; undefined when it says nothing of this one. */
  readonly summary: Summary | undefined;
  /** The list has said all it will. */
  readonly isComplete: boolean;
}

export function WebhookState({ submissionId, summary, isComplete }: WebhookStateProps) {
  const own = useQuery({
    queryKey: ['deliveries', 'of', submissionId],
    queryFn: ({ signal }) =>
      api.get<{ readonly data: readonly DeliveryItem[] }>(
        `/submissions/${submissionId}/deliveries`,
        undefined,
        signal,
      ),
    enabled: summary === undefined && isComplete,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  const shown = summary ?? (own.data === undefined ? undefined : summaryOf(own.data.data));
  if (shown === undefined && !own.isError) return <Skeleton h={10} w={36} />;
  if (shown === undefined || shown === null)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    );
  const { color, word, icon: Icon } = meanings[shown.state];
  return (
    <Tooltip label={`${shown.delivered} of ${shown.total} ${words[shown.state]}`}>
      <Group
        gap={4}
        wrap="nowrap"
        className="above"
        w="fit-content"
        c={`var(--mantine-color-${color}-light-color)`}
        role="img"
        aria-label={`${word}, ${shown.delivered} of ${shown.total}`}
      >
        <Icon size={14} stroke={2.4} />
        <span>
          {shown.delivered}/{shown.total}
        </span>
      </Group>
    </Tooltip>
  );
}
