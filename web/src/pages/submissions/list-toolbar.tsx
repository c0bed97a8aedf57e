/** What narrows a list of submissions. The filter itself lives in the address. */
import { Group, Kbd, Menu, ScrollArea, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconCheck, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { FilterParams, ShownFolder } from '../../inbox/filter-params.js';
import { useLabels } from '../../inbox-queries.js';
import { useUsers } from '../../queries.js';
import { useSession } from '../../session.js';
import { beginning } from '../../ui/bounded-text.js';
import { FilterChip } from '../../ui/filter-chip.js';
import { useKeys } from '../../ui/keyboard.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as states from '../../words/states.js';
import * as words from '../../words/submissions.js';
import { type Labels, labelOf } from './columns.js';
import { DayRange } from './day-range.js';
import { folderNames } from './list-words.js';

interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

interface ChoiceChipProps<Value extends string> {
  readonly name: string;
  readonly value: Value | null;
  readonly choices: readonly Choice<Value>[];
  readonly onChoose: (value: Value | null) => void;
}

function ChoiceChip<Value extends string>({ name, value, choices, onChoose }: ChoiceChipProps<Value>) {
  const chosen = value === null ? null : (choices.find((choice) => choice.value === value)?.label ?? '…');
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <FilterChip name={name} value={chosen} onClear={() => onChoose(null)} />
      </Menu.Target>
      <Menu.Dropdown>
        <ScrollArea.Autosize mah={320}>
          {choices.map((choice) => (
            <Menu.Item
              key={choice.value}
              onClick={() => onChoose(choice.value)}
              rightSection={
                choice.value === value ? (
                  <IconCheck size={16} stroke={1.6} role="img" aria-label={words.chosen} />
                ) : null
              }
            >
              <Untrusted>{choice.label}</Untrusted>
            </Menu.Item>
          ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
}

const folders: readonly Choice<ShownFolder>[] = (
  ['inbox', 'archive', 'kept', 'spam', 'trash', 'unconfirmed', 'all'] as const
).map((value) => ({ value, label: folderNames[value] }));

interface PartProps {
  readonly params: FilterParams;
  readonly onChange: (params: FilterParams) => void;
}

function PeopleChips({ params, onChange }: PartProps) {
  const labels = useLabels().data ?? [];
  const users = useUsers().data ?? [];
  const me = useSession().data?.user.id;
  return (
    <>
      {(labels.length > 0 || params.label !== null) && (
        <ChoiceChip
          name={words.label}
          value={params.label}
          choices={labels.map(({ id, name }) => ({ value: id, label: name }))}
          onChoose={(label) => onChange({ ...params, label })}
        />
      )}
      <ChoiceChip
        name={words.filterAssignee}
        value={params.assignee}
        choices={[
          { value: 'me', label: words.me },
          ...users.filter(({ id }) => id !== me).map(({ id, email }) => ({ value: id, label: email })),
          { value: 'none', label: words.nobody },
        ]}
        onChoose={(assignee) => onChange({ ...params, assignee })}
      />
    </>
  );
}

const yesOrNo = (flag: boolean | null): 'yes' | 'no' | null => (flag === null ? null : flag ? 'yes' : 'no');
const flagOf = (value: 'yes' | 'no' | null): boolean | null => (value === null ? null : value === 'yes');

type ChipsProps = PartProps & Pick<ListToolbarProps, 'hasDeliveries' | 'labels' | 'fieldFilter'>;

function Chips({ params, onChange, hasDeliveries, labels, fieldFilter }: ChipsProps) {
  return (
    <Group gap="xs" role="group" aria-label={words.filters} className="list-filters">
      <ChoiceChip
        name={words.folder}
        value={params.folder === 'inbox' ? null : params.folder}
        choices={folders}
        onChoose={(folder) => onChange({ ...params, folder: folder ?? 'inbox' })}
      />
      <DayRange
        from={params.from}
        to={params.to}
        onChange={(from, to) => onChange({ ...params, from, to })}
      />
      <ChoiceChip
        name={words.filterRead}
        value={yesOrNo(params.isRead)}
        choices={[
          { value: 'no', label: words.unread },
          { value: 'yes', label: words.onlyRead },
        ]}
        onChoose={(value) => onChange({ ...params, isRead: flagOf(value) })}
      />
      <ChoiceChip
        name={words.filterStar}
        value={yesOrNo(params.isStarred)}
        choices={[
          { value: 'yes', label: words.starred },
          { value: 'no', label: words.notStarred },
        ]}
        onChoose={(value) => onChange({ ...params, isStarred: flagOf(value) })}
      />
      <PeopleChips params={params} onChange={onChange} />
      {(hasDeliveries || params.state !== null) && (
        <ChoiceChip
          name={words.delivery}
          value={params.state}
          choices={[
            { value: 'delivered', label: states.delivered },
            { value: 'pending', label: states.waiting },
            { value: 'failed', label: states.failed },
          ]}
          onChoose={(state) => onChange({ ...params, state })}
        />
      )}
      {params.fields.map((field) => (
        <FilterChip
          key={field.name}
          name={beginning(labelOf(labels, field.name), 60)}
          value={field.isExact ? field.value : words.containsText(field.value)}
          onClear={() =>
            onChange({ ...params, fields: params.fields.filter(({ name }) => name !== field.name) })
          }
        />
      ))}
      {fieldFilter}
    </Group>
  );
}

interface ListToolbarProps extends PartProps {
  readonly hasDeliveries: boolean;
  readonly labels: Labels;
  /** Only where all submissions are of one form. */
  readonly fieldFilter: ReactNode;
  /** At the right. */
  readonly children: ReactNode;
}

export function ListToolbar({ children, ...chips }: ListToolbarProps) {
  const { params, onChange } = chips;
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(params.q);
  const search = useDebouncedCallback((q: string) => onChange({ ...params, q }), 250);
  // The address changed by other means: the search of the head, or the way back.
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
      <Group gap="xs" ml={{ sm: 'auto' }} className="icons-on-phone">
        {children}
      </Group>
      <Chips {...chips} />
    </Group>
  );
}
