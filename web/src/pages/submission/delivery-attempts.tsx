/** One delivery: each attempt with its cause in words, request, response and duration. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { beginning } from '../../ui/bounded-text.js';
import { causeOf, detailOf } from '../../ui/delivery-cause.js';
import { RelativeText, RelativeTime, useNow } from '../../ui/relative-time.js';
import { DeliveryBadge, type Meaning, meanings } from '../../ui/state-badge.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { DeliveryItem } from '../../wire.js';
import { formatDuration } from '../../words/format.js';
import * as words from '../../words/submission.js';
import { RetryButton } from '../deliveries/retry-selection.js';
import { AttemptExchange, BodyText } from './attempt-exchange.js';
import { nextTryWords } from './next-try.js';

type Attempt = DeliveryItem['attempts'][number];
const shownAtFirst = 4;
/** The server stores no more of a response. */
const shownBytes = 4_096;

const attemptWords: Readonly<Record<Attempt['trigger'], typeof words.attempt>> = {
  auto: words.attempt,
  manual: words.attemptByHand,
  replay: words.attemptInReplay,
};

const meaningOf = ({ error }: Attempt): Meaning =>
  error === null ? 'delivered' : error.startsWith('suppressed: ') ? 'suppressed' : 'failed';

function AttemptLine({ attempt, deliveryId }: { readonly attempt: Attempt; readonly deliveryId: string }) {
  const [isOpen, setOpen] = useState(false);
  const { color, icon: Icon, word } = meanings[meaningOf(attempt)];
  const detail = detailOf(attempt);
  return (
    <details className="attempt" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Group gap={8} wrap="nowrap" align="baseline" component="span" style={{ flex: 1, minWidth: 0 }}>
          <Text span c={`var(--mantine-color-${color}-light-color)`} style={{ alignSelf: 'center' }} lh={0}>
            <Icon size={14} stroke={2.4} aria-label={word} />
          </Text>
          <Text span size="sm" style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
            <Untrusted>{causeOf(attempt)}</Untrusted>
          </Text>
          <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            <RelativeText iso={attempt.at} /> · {formatDuration(attempt.duration_ms)}
          </Text>
        </Group>
      </summary>
      <Stack gap={8} pl={16} pt={4} pb={8}>
        <Text size="xs" c="dimmed">
          {attemptWords[attempt.trigger](attempt.number, <RelativeTime iso={attempt.at} />)}
        </Text>
        {detail !== null && (
          <Text size="xs">
            <Untrusted>{detail}</Untrusted>
          </Text>
        )}
        {isOpen && <AttemptExchange deliveryId={deliveryId} number={attempt.number} />}
        {attempt.response && (
          <BodyText title={words.responseBody(shownBytes)} text={attempt.response} isCut={false} />
        )}
        {attempt.response === '' && (
          <Text size="xs" c="dimmed">
            {words.responseEmpty}
          </Text>
        )}
      </Stack>
    </details>
  );
}

interface DeliveryAttemptsProps {
  readonly delivery: DeliveryItem;
  readonly pausedIn: 'spam' | 'trash' | null;
  /** With its own button: the one above also retries other deliveries. */
  readonly isRetriedAlone: boolean;
}

export function DeliveryAttempts({ delivery, pausedIn, isRetriedAlone }: DeliveryAttemptsProps) {
  const [isAll, setAll] = useState(false);
  const now = useNow();
  const next = pausedIn === null ? nextTryWords(delivery, Math.max(now, Date.now() - 10_000)) : null;
  // Newest first: the last attempt decides the state.
  const attempts = [...delivery.attempts].sort((a, b) => b.number - a.number);
  const shown = isAll ? attempts : attempts.slice(0, shownAtFirst);
  return (
    <Stack gap={8}>
      <Group gap={8}>
        <DeliveryBadge state={delivery.state} pausedIn={pausedIn} />
        {next !== null && (
          <Text size="xs" c="dimmed" role="status">
            {next}
          </Text>
        )}
        {isRetriedAlone && delivery.state === 'failed' && pausedIn === null && (
          <RetryButton name="ids" ids={[delivery.id]} onDone={() => {}} />
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
          {words.showEarlier(attempts.length - shown.length)}
        </Anchor>
      )}
    </Stack>
  );
}
