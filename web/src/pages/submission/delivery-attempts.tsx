/** What became of one delivery: each attempt with its cause in words, what was answered, and how long it took. */
import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.js';
import { keys } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { causeOf, detailOf } from '../../ui/delivery-cause.js';
import { formatDuration } from '../../ui/numbers.js';
import { RelativeTime, useNow } from '../../ui/relative-time.js';
import { meanings, StateBadge } from '../../ui/state-badge.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { DeliveryFull, DeliveryItem } from '../../wire.js';
import { nextTryWords } from './next-try.js';

type Attempt = DeliveryItem['attempts'][number];
const shownAtFirst = 4;
const maxLines = 12;
const maxAnswerChars = 2_000;

const triggers: Readonly<Record<Attempt['trigger'], string | null>> = {
  auto: null,
  manual: 'by hand',
  replay: 'in a replay',
};

const firstLines = (text: string): { readonly lines: string; readonly isCut: boolean } => {
  const lines = beginning(text, maxAnswerChars).split('\n').slice(0, maxLines).join('\n');
  return { lines, isCut: lines.length < text.length };
};

function Timings({ deliveryId, number }: { readonly deliveryId: string; readonly number: number }) {
  const delivery = useQuery({
    queryKey: [...keys.delivery(deliveryId), number],
    queryFn: ({ signal }) => api.get<DeliveryFull>(`/deliveries/${deliveryId}`, undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const attempt = delivery.data?.attempts.find((each) => each.number === number);
  const phases =
    attempt === undefined
      ? []
      : (
          [
            ['look-up', attempt.timings.dns_ms],
            ['connecting', attempt.timings.connect_ms],
            ['first byte', attempt.timings.first_byte_ms],
            ['total', attempt.duration_ms],
          ] as const
        ).filter((phase): phase is readonly [(typeof phase)[0], number] => phase[1] !== null);
  return (
    <Text size="xs" c="dimmed" mih={18}>
      {delivery.isError && 'The timings could not be loaded.'}
      {phases.map(([name, ms]) => `${name} ${formatDuration(ms)}`).join(' · ')}
      {attempt?.remote_address && ` · to ${attempt.remote_address}`}
    </Text>
  );
}

function AttemptLine({ attempt, deliveryId }: { readonly attempt: Attempt; readonly deliveryId: string }) {
  const [isOpen, setOpen] = useState(false);
  const isSuccess = attempt.error === null;
  const { color, icon: Icon } = meanings[isSuccess ? 'delivered' : 'failed'];
  const detail = detailOf(attempt);
  const answer = attempt.response === null || attempt.response === '' ? null : firstLines(attempt.response);
  const trigger = triggers[attempt.trigger];
  return (
    <details className="attempt" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Group
          gap={6}
          wrap="nowrap"
          align="baseline"
          component="span"
          display="inline-flex"
          w="calc(100% - 20px)"
        >
          <Text span c={`var(--mantine-color-${color}-light-color)`} style={{ alignSelf: 'center' }} lh={0}>
            <Icon size={14} stroke={2.4} aria-label={isSuccess ? 'Delivered' : 'Failed'} />
          </Text>
          <Text span size="sm" style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
            <Untrusted>{causeOf(attempt)}</Untrusted>
          </Text>
          <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {formatDuration(attempt.duration_ms)}
          </Text>
        </Group>
      </summary>
      <Stack gap={6} pl={18} pt={4} pb={8}>
        <Text size="xs" c="dimmed">
          Attempt {attempt.number}
          {trigger === null ? '' : `, ${trigger}`} · <RelativeTime iso={attempt.at} />
        </Text>
        {detail !== null && (
          <Text size="xs">
            <Untrusted>{detail}</Untrusted>
          </Text>
        )}
        {isOpen && <Timings deliveryId={deliveryId} number={attempt.number} />}
        {answer !== null && (
          <Box>
            <Text size="xs" c="dimmed" mb={2}>
              Response body (first 4 KB)
            </Text>
            <pre className="answer">
              <Untrusted>{answer.lines}</Untrusted>
              {answer.isCut && '\n…'}
            </pre>
          </Box>
        )}
        {answer === null && attempt.status !== null && (
          <Text size="xs" c="dimmed">
            The answer had no content.
          </Text>
        )}
      </Stack>
    </details>
  );
}

export function DeliveryAttempts({ delivery }: { readonly delivery: DeliveryItem }) {
  const [isAll, setAll] = useState(false);
  const now = useNow();
  const next = nextTryWords(delivery, Math.max(now, Date.now() - 10_000));
  // Newest first: the last one decides.
  const attempts = [...delivery.attempts].sort((a, b) => b.number - a.number);
  const shown = isAll ? attempts : attempts.slice(0, shownAtFirst);
  return (
    <Stack gap={6}>
      <Group gap={8}>
        <StateBadge state={delivery.state} />
        {next !== null && (
          <Text size="xs" c="dimmed" role="status">
            {next}
          </Text>
        )}
      </Group>
      <Text size="xs" c="dimmed" className="mono" style={{ overflowWrap: 'anywhere' }}>
        <Untrusted>{beginning(delivery.url, 300)}</Untrusted>
      </Text>
      <Stack gap={4}>
        {shown.map((attempt) => (
          <AttemptLine key={attempt.number} attempt={attempt} deliveryId={delivery.id} />
        ))}
      </Stack>
      {shown.length < attempts.length && (
        <Anchor component="button" type="button" size="xs" w="fit-content" onClick={() => setAll(true)}>
          Show {attempts.length - shown.length} earlier
        </Anchor>
      )}
    </Stack>
  );
}
