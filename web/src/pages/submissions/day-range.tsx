/** A date range with common presets. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { localDay } from '../../inbox/filter-params.js';
import * as words from '../../words/submissions.js';

interface DayChoiceProps {
  readonly from: string;
  readonly to: string;
  readonly onChange: (from: string, to: string) => void;
  /** Called when a preset was chosen. */
  readonly onDone: () => void;
}

export function DayChoice({ from, to, onChange, onDone }: DayChoiceProps) {
  const choices: readonly (readonly [label: string, from: string])[] = [
    [words.today, localDay()],
    [words.lastDays(7), localDay(6)],
    [words.lastDays(30), localDay(29)],
    [words.anyTime, ''],
  ];
  return (
    <Stack gap="sm">
      <Group gap={8}>
        {choices.map(([label, first], at) => (
          <Button
            key={label}
            size="compact-sm"
            variant="default"
            data-autofocus={at === 0 || undefined}
            onClick={() => {
              onChange(first, '');
              onDone();
            }}
          >
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
  );
}
