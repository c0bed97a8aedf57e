/** The status of a destination: a colour, a shape and a word. */
import { Badge } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconMinus,
  IconPower,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Destination } from '../../wire.js';
import * as words from '../../words/destinations.js';

type Status = Destination['status'];
/** The server reports `failing` only after a while, when it notifies the owners. The first failure already shows here. */
type State = Status['state'] | 'retrying' | 'new';

function stateOf({ state, failing_since, last_success_at }: Status): State {
  if (state !== 'ok') return state;
  if (failing_since !== null) return 'retrying';
  // Green means delivered, and nothing has been delivered yet.
  return last_success_at === null ? 'new' : 'ok';
}

const looks: Readonly<
  Record<State, { readonly color: string; readonly word: string; readonly icon: TablerIcon }>
> = {
  new: { color: 'gray', word: words.stateNew, icon: IconMinus },
  ok: { color: 'green', word: words.stateOk, icon: IconCheck },
  retrying: { color: 'amber', word: words.stateRetrying, icon: IconAlertTriangle },
  failing: { color: 'red', word: words.stateFailing, icon: IconX },
  disabled: { color: 'gray', word: words.stateDisabled, icon: IconPower },
};

export function DestinationState({ status }: Pick<Destination, 'status'>) {
  const state = stateOf(status);
  const { color, word, icon: Icon } = looks[state];
  return (
    <Badge color={color} variant={color === 'gray' ? 'outline' : 'light'} leftSection={<Icon />}>
      {word}
    </Badge>
  );
}
