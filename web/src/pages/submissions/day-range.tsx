/** From which day to which, with the usual choices one click away. */
import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { localDay } from '../../inbox/filter-params.js';
import { FilterChip } from '../../ui/filter-chip.js';
import { dayRange } from '../../words/inbox-actions.js';
import * as words from '../../words/submissions.js';

interface DayRangeProps {
  readonly from: string;
  readonly to: string;
  readonly onChange: (from: string, to: string) => void;
}

export function DayRange({ from, to, onChange }: DayRangeProps) {
  const choices: readonly (readonly [label: string, from: string])[] = [
    [words.today, localDay()],
    [words.lastDays(7), localDay(6)],
    [words.lastDays(30), localDay(29)],
    [words.anyTime, ''],
  ];
  return (
    <Popover position="bottom-start" trapFocus shadow="md">
      <Popover.Target>
        <FilterChip
          name={words.received}
          value={from === '' && to === '' ? null : dayRange(from, to)}
          onClear={() => onChange('', '')}
        />
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Group gap={8}>
            {choices.map(([label, first]) => (
              <Button key={label} size="compact-sm" variant="default" onClick={() => onChange(first, '')}>
                {label}
              </Button>
            ))}
          </Group>
          <Group gap="xs" grow>
            <TextInput
              type="date"
              label={words.from}
              value={from}
              max={to || undefined}
              onChange={(event) => onChange(event.currentTarget.value, to)}
            />
            <TextInput
              type="date"
              label={words.to}
              value={to}
              min={from || undefined}
              onChange={(event) => onChange(from, event.currentTarget.value)}
            />
          </Group>
          <Text size="xs" c="dimmed">
            {words.daysHint}
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
