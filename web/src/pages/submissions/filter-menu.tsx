/** One button for all filters that are not set: first the field, then its value. */
import { ActionIcon, Button, FocusTrap, Group, Popover, Text } from '@mantine/core';
import { IconChevronLeft, IconFilter } from '@tabler/icons-react';
import { type ReactNode, type Ref, useState } from 'react';
import { type FilterParams, maxFieldFilters, maxFieldName } from '../../inbox/filter-params.js';
import { useFormFields } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { type Choice, ChoiceList } from '../../ui/choice-list.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as words from '../../words/submissions.js';
import { FilterForm } from './column-head.js';
import { type Labels, labelOf } from './columns.js';
import { DayChoice } from './day-range.js';
import type { Condition } from './filter-conditions.js';

const maxOffered = 200;

export interface FilterMenuProps {
  readonly conditions: readonly Condition[];
  /** The form of the submissions; null: several forms. */
  readonly formId: string | null;
  readonly labels: Labels;
  readonly params: FilterParams;
  readonly onChange: (params: FilterParams) => void;
}

interface Filter extends Choice {
  readonly isSet: boolean;
  /** The input for its value. */
  readonly content: (done: () => void) => ReactNode;
}

/** Any field the form has ever received, whether or not it has a column. */
function useFieldFilters(props: FilterMenuProps, isWanted: boolean): readonly Filter[] {
  const { formId, labels, params, onChange } = props;
  const learned = useFormFields(formId ?? '', formId !== null && isWanted).data?.data ?? [];
  if (params.fields.length >= maxFieldFilters) return [];
  return learned
    .filter(({ kinds, name }) => kinds.join() !== 'file' && name !== '' && name.length <= maxFieldName)
    .slice(0, maxOffered)
    .map(({ name }) => ({
      key: `field.${name}`,
      label: beginning(labelOf(labels, name), 60),
      hint: words.fieldFilter,
      isSet: params.fields.some((field) => field.name === name),
      content: (done) => (
        <FilterForm
          name={name}
          filters={params.fields}
          onChange={(fields) => onChange({ ...params, fields })}
          onDone={done}
        />
      ),
    }));
}

function useFilters(props: FilterMenuProps, isWanted: boolean): readonly Filter[] {
  const { conditions, params, onChange } = props;
  const fields = useFieldFilters(props, isWanted);
  const [folder, ...others] = conditions.map(
    ({ key, label, choices, value }): Filter => ({
      key,
      label,
      isSet: value !== null,
      content: (done) => (
        <ChoiceList
          label={label}
          choices={choices}
          onChoose={({ change }) => {
            onChange({ ...params, ...change });
            done();
          }}
        />
      ),
    }),
  );
  const received: Filter = {
    key: 'received',
    label: words.received,
    isSet: params.from !== '' || params.to !== '',
    content: (done) => (
      <DayChoice
        from={params.from}
        to={params.to}
        onChange={(from, to) => onChange({ ...params, from, to })}
        onDone={done}
      />
    ),
  };
  return [...(folder === undefined ? [] : [folder]), received, ...others, ...fields];
}

interface StepProps {
  readonly title: string;
  readonly onBack: () => void;
  readonly children: ReactNode;
}

const Step = ({ title, onBack, children }: StepProps) => (
  <>
    <Group gap={4} mb={4} wrap="nowrap">
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={words.allFilters} onClick={onBack}>
        <IconChevronLeft />
      </ActionIcon>
      <Text size="sm" fw={500} truncate>
        <Untrusted>{title}</Untrusted>
      </Text>
    </Group>
    {children}
  </>
);

export function FilterMenu({ ref, ...props }: FilterMenuProps & { readonly ref: Ref<HTMLButtonElement> }) {
  const [opened, setOpened] = useState(false);
  const [chosen, choose] = useState<string | null>(null);
  const filters = useFilters(props, opened);
  const step = filters.find(({ key }) => key === chosen);
  const toggle = () => {
    // Not on close: the content would change while it fades out.
    if (!opened) choose(null);
    setOpened(!opened);
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width={300}
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button
          ref={ref}
          variant="default"
          fw={400}
          leftSection={<IconFilter size={16} stroke={1.6} />}
          onClick={toggle}
        >
          {words.filter}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        {/* Each step takes the focus when it appears. */}
        <FocusTrap key={step?.key ?? ''}>
          <div>
            {step === undefined ? (
              <ChoiceList
                label={words.filterByWhat}
                choices={filters.filter(({ isSet }) => !isSet)}
                onChoose={({ key }) => choose(key)}
                {...(props.formId !== null && { isSearchable: true })}
              />
            ) : (
              <Step title={step.label} onBack={() => choose(null)}>
                {step.content(() => setOpened(false))}
              </Step>
            )}
          </div>
        </FocusTrap>
      </Popover.Dropdown>
    </Popover>
  );
}
