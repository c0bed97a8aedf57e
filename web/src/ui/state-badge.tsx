/** The four meanings that have a colour; each comes with a shape and a word, never as colour alone. */
import { Badge } from '@mantine/core';
import {
  IconArchive,
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

export type Meaning = 'delivered' | 'pending' | 'failed' | 'quarantined';

export const meanings: Readonly<
  Record<Meaning, { readonly color: string; readonly word: string; readonly icon: TablerIcon }>
> = {
  delivered: { color: 'green', word: words.delivered, icon: IconCheck },
  pending: { color: 'amber', word: words.waiting, icon: IconClock },
  failed: { color: 'red', word: words.failed, icon: IconX },
  quarantined: { color: 'violet', word: words.quarantined, icon: IconShieldHalf },
};

interface StateBadgeProps {
  readonly state: Meaning;
  /** Instead of the usual word: "2 of 2 delivered". */
  readonly children?: string;
}

export function StateBadge({ state, children }: StateBadgeProps) {
  const { color, word, icon: Icon } = meanings[state];
  return (
    <Badge color={color} leftSection={<Icon />}>
      {children ?? word}
    </Badge>
  );
}

type DeliveryState = Exclude<Meaning, 'quarantined'>;

/** A delivery that is not sent while its submission is in spam or trash waits for nothing else. */
export function DeliveryBadge({
  state,
  pausedIn,
}: {
  readonly state: DeliveryState;
  readonly pausedIn: 'spam' | 'trash' | null;
}) {
  if (state !== 'pending' || pausedIn === null) return <StateBadge state={state} />;
  return (
    <Badge color="gray" leftSection={<IconPlayerPause />}>
      {words.pausedIn[pausedIn]}
    </Badge>
  );
}

/** Of a project or a form that takes no submissions. */
export const SwitchedOff = () => (
  <Badge color="gray" variant="outline" leftSection={<IconPower />}>
    {words.switchedOff}
  </Badge>
);

/** Whether a form takes submissions, and from whom. */
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
