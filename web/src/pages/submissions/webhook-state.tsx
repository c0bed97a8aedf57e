/** How the deliveries of one submission stand, on one line of a list. */
import { Group, Text, Tooltip } from '@mantine/core';
import { meanings } from '../../ui/state-badge.js';
import type { WebhookState as State } from '../../wire.js';
import * as words from '../../words/submissions.js';

const explanations: Readonly<Record<State, string>> = {
  delivered: words.everythingDelivered,
  pending: words.someWaiting,
  failed: words.someFailed,
};

/** `state` is null where the submission has no deliveries. */
export function WebhookState({ state }: { readonly state: State | null }) {
  if (state === null)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    );
  const { color, word, icon: Icon } = meanings[state];
  return (
    <Tooltip label={explanations[state]}>
      <Group
        gap={4}
        wrap="nowrap"
        className="above"
        w="fit-content"
        c={`var(--mantine-color-${color}-light-color)`}
      >
        <Icon aria-hidden />
        <span className="wide-only">{word}</span>
      </Group>
    </Tooltip>
  );
}
