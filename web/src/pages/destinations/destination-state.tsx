/** How sending to a destination goes: a colour, a shape and a word. */
import { Badge } from '@mantine/core';
import { IconCheck, IconPower, IconX, type TablerIcon } from '@tabler/icons-react';
import type { Destination } from '../../wire.js';

type State = Destination['status']['state'];

const looks: Readonly<
  Record<State, { readonly color: string; readonly word: string; readonly icon: TablerIcon }>
> = {
  ok: { color: 'green', word: 'OK', icon: IconCheck },
  failing: { color: 'red', word: 'Failing', icon: IconX },
  disabled: { color: 'gray', word: 'Disabled', icon: IconPower },
};

export function DestinationState({ state }: { readonly state: State }) {
  const { color, word, icon: Icon } = looks[state];
  return (
    <Badge
      color={color}
      variant={state === 'disabled' ? 'outline' : 'light'}
      leftSection={<Icon size={12} stroke={2.4} />}
      style={{ flex: 'none' }}
    >
      {word}
    </Badge>
  );
}
