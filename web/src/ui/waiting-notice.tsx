/** Explains what a changed URL means for waiting deliveries. Shows nothing when there are none. */
import { Text } from '@mantine/core';
import { useWaitingForWebhook } from '../destination-queries.js';
import type { Owner } from '../queries.js';
import * as words from '../words/settings-page.js';

interface WaitingNoticeProps {
  readonly waiting: number;
  /** The URL is removed instead of changed. */
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

/** For the webhook of a form or project, while its URL differs from the stored one. */
export function WebhookWaiting({ of, stored, wanted }: WebhookWaitingProps) {
  const isChanged = stored !== null && wanted !== stored;
  const waiting = useWaitingForWebhook(of, isChanged);
  return isChanged ? <WaitingNotice waiting={waiting} isRemoved={wanted === null} /> : null;
}
