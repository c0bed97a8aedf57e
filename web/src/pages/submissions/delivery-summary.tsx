/** How the deliveries of one submission stand, on one line of a list: "2/2" with a sign and a word for the hover. */
import { Group, Skeleton, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.js';
import { meanings } from '../../ui/state-badge.js';
import type { DeliveryItem, WebhookState } from '../../wire.js';

/** One that failed outweighs one that waits, which outweighs those that arrived. */
export function summaryOf(deliveries: readonly Pick<DeliveryItem, 'state'>[]): {
  readonly state: WebhookState;
  readonly delivered: number;
  readonly total: number;
} | null {
  if (deliveries.length === 0) return null;
  const has = (state: WebhookState) => deliveries.some((delivery) => delivery.state === state);
  return {
    state: has('failed') ? 'failed' : has('pending') ? 'pending' : 'delivered',
    delivered: deliveries.filter(({ state }) => state === 'delivered').length,
    total: deliveries.length,
  };
}

const words: Readonly<Record<WebhookState, string>> = {
  delivered: 'delivered',
  pending: 'delivered, waiting for the rest',
  failed: 'delivered, the rest failed',
};

export function DeliverySummary({ submissionId }: { readonly submissionId: string }) {
  const deliveries = useQuery({
    queryKey: ['deliveries', 'of', submissionId],
    queryFn: ({ signal }) =>
      api.get<{ readonly data: readonly DeliveryItem[] }>(
        `/submissions/${submissionId}/deliveries`,
        undefined,
        signal,
      ),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  if (deliveries.isPending) return <Skeleton h={10} w={36} />;
  const summary = deliveries.data === undefined ? null : summaryOf(deliveries.data.data);
  if (summary === null)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    );
  const { color, word, icon: Icon } = meanings[summary.state];
  return (
    <Tooltip label={`${word}: ${summary.delivered} of ${summary.total} ${words[summary.state]}`}>
      <Group
        gap={4}
        wrap="nowrap"
        className="above"
        w="fit-content"
        c={`var(--inlet-${color}-text, var(--mantine-color-${color}-light-color))`}
        role="img"
        aria-label={`${word}, ${summary.delivered} of ${summary.total}`}
      >
        <Icon size={14} stroke={2.4} />
        <span>
          {summary.delivered}/{summary.total}
        </span>
      </Group>
    </Tooltip>
  );
}
