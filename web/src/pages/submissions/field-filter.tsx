/** A filter by any field that the form has had, whether it has a column or not. */
import { Popover, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import type { FilterParams } from '../../inbox/filter-params.js';
import { useFormFields } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { FilterChip } from '../../ui/filter-chip.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as words from '../../words/submissions.js';
import { FilterForm } from './column-head.js';
import { type Labels, labelOf } from './columns.js';

/** The API takes no more. */
const maxFilters = 5;
const maxOffered = 200;

interface FieldFilterProps {
  readonly formId: string;
  readonly labels: Labels;
  readonly params: FilterParams;
  readonly onChange: (params: FilterParams) => void;
}

export function FieldFilter({ formId, labels, params, onChange }: FieldFilterProps) {
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState<string | null>(null);
  const learned = useFormFields(formId, opened).data?.data ?? [];
  if (params.fields.length >= maxFilters) return null;
  const offered = learned
    .filter((field) => field.kinds.join() !== 'file' && field.name !== '')
    .filter((field) => field.name.length <= 200)
    .slice(0, maxOffered)
    .map((field) => ({ value: field.name, label: beginning(labelOf(labels, field.name), 60) }));
  const close = () => {
    setOpened(false);
    setName(null);
  };
  return (
    <Popover
      opened={opened}
      onChange={(isOpen) => (isOpen ? setOpened(true) : close())}
      position="bottom-start"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <FilterChip
          name={words.fieldFilter}
          value={null}
          onClear={close}
          onClick={() => setOpened(!opened)}
        />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Select
            size="xs"
            data-autofocus
            searchable
            aria-label={words.fieldToFilterBy}
            placeholder={words.fieldToFilterBy}
            data={offered}
            value={name}
            onChange={setName}
            nothingFoundMessage={words.noSuchField}
            renderOption={({ option }) => <Untrusted>{option.label}</Untrusted>}
            comboboxProps={{ withinPortal: false }}
          />
          {name !== null && (
            <FilterForm
              key={name}
              name={name}
              filters={params.fields}
              onChange={(fields) => onChange({ ...params, fields })}
              onDone={close}
            />
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
