/** An active filter: a click changes its value, and a button clears it. */
import { ActionIcon, Popover, UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import * as words from '../words/controls.js';
import { Untrusted } from './untrusted.js';

interface FilterChipProps {
  /** The filter's name: "Received". */
  readonly name: string;
  /** The current value in words. */
  readonly value: string;
  readonly onClear: () => void;
  /** The input that changes it. */
  readonly children: (close: () => void) => ReactNode;
}

export function FilterChip({ name, value, onClear, children }: FilterChipProps) {
  const [opened, setOpened] = useState(false);
  return (
    <span className="filter-chips">
      <Popover opened={opened} onChange={setOpened} position="bottom-start" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <UnstyledButton className="filter-chip" onClick={() => setOpened(!opened)}>
            <Untrusted>{name}</Untrusted>
            {': '}
            <Untrusted>{value}</Untrusted>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown p="xs">{children(() => setOpened(false))}</Popover.Dropdown>
      </Popover>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={words.clearFilter(name)}
        onClick={onClear}
      >
        <IconX />
      </ActionIcon>
    </span>
  );
}
