/** Search and filters of a submission list. The filter itself lives in the URL. */
import { Group, Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type FilterParams, writeParams } from '../../inbox/filter-params.js';
import { beginning } from '../../ui/bounded-text.js';
import { ChoiceList } from '../../ui/choice-list.js';
import { FilterChip } from '../../ui/filter-chip.js';
import { useKeys } from '../../ui/keyboard.js';
import { dayRange } from '../../words/inbox-actions.js';
import * as words from '../../words/submissions.js';
import { FilterForm } from './column-head.js';
import { type Labels, labelOf } from './columns.js';
import { DayChoice } from './day-range.js';
import { type Condition, useConditions } from './filter-conditions.js';
import { FilterMenu } from './filter-menu.js';

interface PartProps {
  readonly params: FilterParams;
  readonly onChange: (params: FilterParams) => void;
}

interface ChipsProps extends PartProps {
  readonly conditions: readonly Condition[];
  readonly labels: Labels;
}

/** A chip per active filter. */
function Chips({ params, onChange, conditions, labels }: ChipsProps) {
  const { from, to, fields } = params;
  return (
    <Group gap="xs" role="group" aria-label={words.filters} className="list-filters">
      {conditions.map(
        ({ key, label, value, choices, unset }) =>
          value !== null && (
            <FilterChip
              key={key}
              name={label}
              value={value}
              onClear={() => onChange({ ...params, ...unset })}
            >
              {(close) => (
                <ChoiceList
                  label={label}
                  choices={choices}
                  onChoose={({ change }) => {
                    onChange({ ...params, ...change });
                    close();
                  }}
                />
              )}
            </FilterChip>
          ),
      )}
      {(from !== '' || to !== '') && (
        <FilterChip
          name={words.received}
          value={dayRange(from, to)}
          onClear={() => onChange({ ...params, from: '', to: '' })}
        >
          {(close) => (
            <DayChoice
              from={from}
              to={to}
              onChange={(first, last) => onChange({ ...params, from: first, to: last })}
              onDone={close}
            />
          )}
        </FilterChip>
      )}
      {fields.map((field) => (
        <FilterChip
          key={field.name}
          name={beginning(labelOf(labels, field.name), 60)}
          value={field.isExact ? field.value : words.containsText(field.value)}
          onClear={() => onChange({ ...params, fields: fields.filter(({ name }) => name !== field.name) })}
        >
          {(close) => (
            <FilterForm
              name={field.name}
              filters={fields}
              onChange={(next) => onChange({ ...params, fields: next })}
              onDone={close}
            />
          )}
        </FilterChip>
      ))}
    </Group>
  );
}

/** Removing a chip also removes the focus, so it moves to the filter button. */
function useFocusAfterChips(set: number) {
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef(set);
  useEffect(() => {
    if (set < before.current && document.activeElement === document.body) button.current?.focus();
    before.current = set;
  }, [set]);
  return button;
}

interface ListToolbarProps extends PartProps {
  readonly hasDeliveries: boolean;
  readonly labels: Labels;
  /** The form of the submissions; null: several forms. */
  readonly formId: string | null;
  /** Shown on the right. */
  readonly children: ReactNode;
}

export function ListToolbar({ children, hasDeliveries, ...parts }: ListToolbarProps) {
  const { params } = parts;
  const conditions = useConditions(params, hasDeliveries);
  const input = useRef<HTMLInputElement>(null);
  const set = writeParams({ ...params, q: '', sort: null }).size;
  const filterButton = useFocusAfterChips(set);
  const [text, setText] = useState(params.q);
  const search = useDebouncedCallback((q: string) => parts.onChange({ ...params, q }), 250);
  // The URL changed elsewhere: the search in the header, or the back button.
  useEffect(() => {
    setText((now) => (now.trim() === params.q ? now : params.q));
  }, [params.q]);
  useKeys({ '/': () => input.current?.select() }, true, true);
  return (
    <Group gap="xs" mb="sm" align="flex-start">
      <TextInput
        ref={input}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          search(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') input.current?.blur();
          if (event.key === 'Enter') input.current?.blur();
        }}
        placeholder={words.searchInSubmissions}
        aria-label={words.searchInSubmissions}
        leftSection={<IconSearch size={16} stroke={1.6} />}
        rightSection={
          <Kbd size="xs" visibleFrom="sm">
            /
          </Kbd>
        }
        rightSectionPointerEvents="none"
        maxLength={500}
        className="list-search"
      />
      <div className="icons-on-phone">
        <FilterMenu {...parts} conditions={conditions} ref={filterButton} />
      </div>
      <Group gap="xs" ml={{ sm: 'auto' }} className="icons-on-phone">
        {children}
      </Group>
      {set > 0 && <Chips {...parts} conditions={conditions} />}
    </Group>
  );
}
