/** A column header: a click sorts by the column, and its values can be filtered. */
import { ActionIcon, Button, Group, Popover, SegmentedControl, Stack, Table, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconFilter } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { FieldFilter, FilterParams, Sort } from '../../inbox/filter-params.js';
import { beginning } from '../../ui/bounded-text.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import * as words from '../../words/submissions.js';

const directionOf = (sort: Sort | null, by: string, isDefault: boolean) => {
  if (sort?.by === by) return sort.isDescending ? 'descending' : 'ascending';
  return sort === null && isDefault ? 'descending' : 'none';
};

/** Ascending, then descending, then the default. */
function nextSort(sort: Sort | null, by: string): Sort | null {
  if (sort?.by !== by) return { by, isDescending: false };
  return sort.isDescending ? null : { by, isDescending: true };
}

interface ColumnHeadProps {
  /** The column's name in the API. */
  readonly by: string;
  readonly params: FilterParams;
  readonly onChange: (params: FilterParams) => void;
  /** The list is sorted by this column, descending, unless another sort is set. */
  readonly isDefault?: boolean;
  readonly isRight?: boolean;
  readonly className?: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
  /** Shown beside the name. */
  readonly aside?: ReactNode;
}

export function ColumnHead(props: ColumnHeadProps) {
  const {
    by,
    params,
    onChange,
    isDefault = false,
    isRight = false,
    className,
    isWide,
    children,
    aside,
  } = props;
  const direction = directionOf(params.sort, by, isDefault);
  return (
    <Table.Th
      aria-sort={direction}
      {...(className !== undefined && { className })}
      {...(isWide && { visibleFrom: 'sm' })}
    >
      <span className="column-head" data-right={isRight}>
        <button
          type="button"
          className="sort-button"
          onClick={() => onChange({ ...params, sort: nextSort(params.sort, by) })}
        >
          {children}
          {direction === 'ascending' && <IconArrowUp size={14} stroke={1.6} aria-hidden />}
          {direction === 'descending' && <IconArrowDown size={14} stroke={1.6} aria-hidden />}
        </button>
        {aside}
      </span>
    </Table.Th>
  );
}

interface ColumnFilterProps {
  readonly name: string;
  readonly filters: readonly FieldFilter[];
  readonly onChange: (filters: readonly FieldFilter[]) => void;
}

export function FilterForm({
  name,
  filters,
  onChange,
  onDone,
}: ColumnFilterProps & { readonly onDone: () => void }) {
  const now = filters.find((filter) => filter.name === name);
  const [kind, setKind] = useState(now?.isExact ? 'is' : 'contains');
  const [value, setValue] = useState(now?.value ?? '');
  const others = filters.filter((filter) => filter.name !== name);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    onChange(value.trim() === '' ? others : [...others, { name, isExact: kind === 'is', value }]);
    onDone();
  };
  return (
    <form onSubmit={apply}>
      <Stack gap="xs">
        <SegmentedControl
          size="xs"
          value={kind}
          onChange={setKind}
          aria-label={words.howToCompare}
          data={[
            { value: 'contains', label: words.contains },
            { value: 'is', label: words.isExactly },
          ]}
        />
        <TextInput
          size="xs"
          data-autofocus
          aria-label={words.textToFind}
          maxLength={500}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
        <Group gap="xs" justify="flex-end">
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              onChange(others);
              onDone();
            }}
            disabled={!now}
          >
            {words.clear}
          </Button>
          <Button size="compact-sm" type="submit">
            {words.apply}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function ColumnFilter(props: ColumnFilterProps) {
  const [opened, setOpened] = useState(false);
  const isOn = props.filters.some(({ name }) => name === props.name);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          size="xs"
          variant={isOn ? 'light' : 'subtle'}
          color={isOn ? 'accent' : 'gray'}
          className="column-filter"
          data-on={isOn}
          aria-label={words.filterBy(shownCharacters(beginning(props.name, 60)))}
          onClick={() => setOpened(!opened)}
        >
          <IconFilter size={14} stroke={1.6} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <FilterForm {...props} onDone={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
