/** What a changed URL means for deliveries that wait for it; nothing when none does. */
import { Text } from '@mantine/core';
import { countOf } from './numbers.js';

interface WaitingNoticeProps {
  readonly waiting: number;
  /** The URL is taken away instead of changed. */
  readonly isRemoved?: boolean;
}

export const WaitingNotice = ({ waiting, isRemoved = false }: WaitingNoticeProps) =>
  waiting === 0 ? null : (
    <Text size="sm" role="status">
      {countOf(waiting, 'waiting delivery', 'waiting deliveries')} will be{' '}
      {isRemoved ? 'cancelled' : 'sent to the new URL'}.
    </Text>
  );
