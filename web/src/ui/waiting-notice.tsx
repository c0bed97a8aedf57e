/** What a changed URL means for deliveries that wait for it; nothing when none does. */
import { Text } from '@mantine/core';
import { useWaitingForWebhook } from '../destination-queries.js';
import type { Owner } from '../queries.js';
import * as words from '../words/settings-page.js';

interface WaitingNoticeProps {
  readonly waiting: number;
  /** The URL is taken away instead of changed. */
  readonly isRemoved?: boolean;
}

export const WaitingNotice = ({ waiting, isRemoved = false }: WaitingNoticeProps) =>
  waiting === 0 ? null : (
    <Text size="sm" role="status">
      {isRemoved ? words.waitingCancelled(waiting) : words.waitingSent(waiting)}
    </Text>
  );

interface WebhookWaitingProps {
  readonly of: Owner;
  readonly stored: string | null;
  readonly wanted: string | null;
}

/** For the webhook of a form or a project, as long as its URL is not the stored one. */
export function WebhookWaiting({ of, stored, wanted }: WebhookWaitingProps) {
  const isChanged = stored !== null && wanted !== stored;
  const waiting = useWaitingForWebhook(of, isChanged);
  return isChanged ? <WaitingNotice waiting={waiting} isRemoved={wanted === null} /> : null;
}
