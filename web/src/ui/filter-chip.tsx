/** A filter of a list: a quiet word until it is set, then what it is set to, and a button that lifts it. */
import { ActionIcon, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconX } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';
import * as words from '../words/controls.js';
import { Untrusted } from './untrusted.js';

interface FilterChipProps extends Omit<ComponentPropsWithRef<'button'>, 'value' | 'className' | 'children'> {
  /** What it filters by: "Received". */
  readonly name: string;
  /** What it is set to, in words; null: it lets everything through. */
  readonly value: string | null;
  readonly onClear: () => void;
}

/** It can be the target of a `Menu` or a `Popover`, which give it what it takes to open them. */
export const FilterChip = ({ name, value, onClear, ...button }: FilterChipProps) => (
  <span className="filter-chips">
    <UnstyledButton {...button} className="filter-chip" data-set={value !== null || undefined}>
      {name}
      {value === null ? (
        <IconChevronDown aria-hidden />
      ) : (
        <>
          {': '}
          <Untrusted>{value}</Untrusted>
        </>
      )}
    </UnstyledButton>
    {value !== null && (
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={words.clearFilter(name)}
        onClick={onClear}
      >
        <IconX />
      </ActionIcon>
    )}
  </span>
);
