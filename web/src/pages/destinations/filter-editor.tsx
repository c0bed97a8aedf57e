/** Selects the submissions that are sent: rows of conditions on known fields, or JSON, with a live count. */
import {
  ActionIcon,
  Anchor,
  Autocomplete,
  Button,
  Group,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { Untrusted } from '../../ui/untrusted.js';
import type { Submission } from '../../wire.js';
import * as words from '../../words/destinations.js';
import { fieldsOf } from '../submissions/columns.js';
import {
  draftOf,
  type FilterDraft,
  type FilterRow,
  filterOf,
  newRow,
  type OperatorName,
  operatorOf,
  operators,
  seenType,
  textOf,
} from './filter-rows.js';

interface RowEditorProps {
  readonly row: FilterRow;
  readonly number: number;
  readonly fields: readonly string[];
  readonly seen: readonly Submission[];
  readonly onChange: (row: FilterRow) => void;
  readonly onRemove: () => void;
}

function RowEditor({ row, number, fields, seen, onChange, onRemove }: RowEditorProps) {
  const { takes } = operatorOf(row.operator);
  const isTextCompared = (row.operator === 'above' || row.operator === 'below') && row.type === 'text';
  return (
    <fieldset className="condition" aria-label={words.condition(number)}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <Group gap="xs" style={{ flex: 1, minWidth: 0 }}>
          <Autocomplete
            aria-label={words.field}
            placeholder={words.field}
            value={row.field}
            data={[...fields]}
            onChange={(field) => onChange({ ...row, field, type: seenType(field, seen) })}
            renderOption={({ option }) => <Untrusted>{option.value}</Untrusted>}
            maxLength={250}
            style={{ flex: '2 1 7.5rem' }}
          />
          <Select
            aria-label={words.operator}
            value={row.operator}
            data={operators.map(({ name, words: label }) => ({ value: name, label }))}
            onChange={(name) => onChange({ ...row, operator: (name ?? 'is') as OperatorName })}
            allowDeselect={false}
            style={{ flex: '1 1 8.125rem' }}
          />
          {takes !== 'nothing' && (
            <TextInput
              aria-label={words.value}
              placeholder={takes === 'list' ? words.valuesExample : words.value}
              value={row.value}
              onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
              style={{ flex: '2 1 7.5rem' }}
            />
          )}
        </Group>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={words.removeCondition(number)}
          onClick={onRemove}
        >
          <IconX />
        </ActionIcon>
      </Group>
      {isTextCompared && row.field !== '' && (
        <Text size="xs" c="dimmed" mt={4}>
          {words.comparedAsText}
        </Text>
      )}
    </fieldset>
  );
}

interface RowsEditorProps {
  readonly draft: Extract<FilterDraft, { mode: 'rows' }>;
  readonly seen: readonly Submission[];
  readonly onChange: (draft: FilterDraft) => void;
}

function RowsEditor({ draft, seen, onChange }: RowsEditorProps) {
  const { rows } = draft;
  const fields = fieldsOf(seen);
  const change = (changed: readonly FilterRow[]) => onChange({ ...draft, rows: changed });
  return (
    <Stack gap="xs">
      {rows.length === 0 && <Text size="sm">{words.allAreSent}</Text>}
      {rows.length > 1 && (
        <Select
          label={words.matchLabel}
          value={draft.match}
          data={[
            { value: 'all', label: words.allConditions },
            { value: 'any', label: words.anyCondition },
          ]}
          onChange={(match) => onChange({ ...draft, match: match === 'any' ? 'any' : 'all' })}
          allowDeselect={false}
          maw={220}
        />
      )}
      {rows.map((row, index) => (
        <RowEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name, and stay in their order
          key={index}
          row={row}
          number={index + 1}
          fields={fields}
          seen={seen}
          onChange={(changed) => change(rows.map((each, place) => (place === index ? changed : each)))}
          onRemove={() => change(rows.filter((_, place) => place !== index))}
        />
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus />}
          onClick={() => change([...rows, newRow])}
        >
          {words.addCondition}
        </Button>
      </Group>
    </Stack>
  );
}

interface FilterEditorProps {
  readonly draft: FilterDraft;
  readonly seen: readonly Submission[];
  /** "Matches 12 of the last 50", or why the count is unknown. */
  readonly count: string;
  readonly error: string | null;
  readonly onChange: (draft: FilterDraft) => void;
}

export function FilterEditor({ draft, seen, count, error, onChange }: FilterEditorProps) {
  const read = filterOf(draft);
  const rows = 'filter' in read ? draftOf(read.filter) : null;
  return (
    <Stack gap="xs">
      {draft.mode === 'rows' ? (
        <RowsEditor draft={draft} seen={seen} onChange={onChange} />
      ) : (
        <Textarea
          label={words.filterAsJson}
          description={words.filterAsJsonDescription}
          placeholder={'{"submission": {"data": {"topic": "sales"}}}'}
          value={draft.text}
          onChange={(event) => onChange({ mode: 'json', text: event.currentTarget.value })}
          autosize
          minRows={4}
          maxRows={20}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          error={error !== null && <Untrusted>{error}</Untrusted>}
          errorProps={{ role: 'alert', style: { overflowWrap: 'anywhere' } }}
        />
      )}
      {error !== null && draft.mode === 'rows' && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" style={{ overflowWrap: 'anywhere' }}>
          <Untrusted>{error}</Untrusted>
        </Text>
      )}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {error === null ? count : ''}
        </Text>
        {draft.mode === 'rows' ? (
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => onChange({ mode: 'json', text: textOf(draft) })}
          >
            {words.editAsJson}
          </Anchor>
        ) : (
          rows?.mode === 'rows' && (
            <Anchor component="button" type="button" size="sm" onClick={() => onChange(rows)}>
              {words.editAsConditions}
            </Anchor>
          )
        )}
      </Group>
    </Stack>
  );
}
