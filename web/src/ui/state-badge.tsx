/** The four states that have a colour, and suppressed deliveries, which have none. Each has a shape and a word, never colour alone. */
import { Badge } from '@mantine/core';
import {
  IconArchive,
  IconBan,
  IconCheck,
  IconClock,
  IconFlask,
  IconPlayerPause,
  IconPower,
  IconShieldHalf,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import * as words from '../words/states.js';

export type Meaning = 'delivered' | 'pending' | 'failed' | 'quarantined' | 'suppressed';

export const meanings: Readonly<
  Record<Meaning, { readonly color: string; readonly word: string; readonly icon: TablerIcon }>
> = {
  delivered: { color: 'green', word: words.delivered, icon: IconCheck },
  pending: { color: 'amber', word: words.waiting, icon: IconClock },
  failed: { color: 'red', word: words.failed, icon: IconX },
  quarantined: { color: 'violet', word: words.quarantined, icon: IconShieldHalf },
  suppressed: { color: 'gray', word: words.suppressed, icon: IconBan },
};

interface DeliveryBadgeProps {
  readonly state: Exclude<Meaning, 'quarantined'>;
  /** The folder that pauses the delivery, if any. */
  readonly pausedIn: 'spam' | 'trash' | null;
}

export function DeliveryBadge({ state, pausedIn }: DeliveryBadgeProps) {
  const { color, word, icon: Icon } = meanings[state];
  const isPaused = state === 'pending' && pausedIn !== null;
  return (
    <Badge color={isPaused ? 'gray' : color} leftSection={isPaused ? <IconPlayerPause /> : <Icon />}>
      {isPaused ? words.pausedIn[pausedIn] : word}
    </Badge>
  );
}

/** For a project or form that accepts no submissions. */
export const SwitchedOff = () => (
  <Badge color="gray" variant="outline" leftSection={<IconPower />}>
    {words.switchedOff}
  </Badge>
);

/** Whether a form accepts submissions, and from whom. */
export function FormMode({
  isActive,
  isArchived,
  mode,
}: {
  readonly isActive: boolean;
  readonly isArchived: boolean;
  readonly mode: 'live' | 'sandbox';
}) {
  if (isArchived)
    return (
      <Badge color="gray" variant="outline" leftSection={<IconArchive size={12} stroke={2.2} />}>
        {words.archived}
      </Badge>
    );
  if (!isActive) return <SwitchedOff />;
  if (mode === 'live') return <Badge color="accent">{words.live}</Badge>;
  return (
    <Badge color="gray" variant="outline" leftSection={<IconFlask />}>
      {words.sandbox}
    </Badge>
  );
}
