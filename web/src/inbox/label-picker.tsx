/** Puts labels on one or many submissions, and creates new ones. */
import { Button, Checkbox, Group, Popover, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useCreateLabel, useLabels } from '../inbox-queries.js';
import { tellFailure } from '../ui/tell.js';
import { Untrusted } from '../ui/untrusted.js';
import type { LabelColor } from '../wire.js';
import * as words from '../words/inbox-actions.js';
import { LabelDot, type ShownLabel } from './label-chips.js';

/** New labels take turns, so that two are seldom alike. */
export const labelColors: readonly LabelColor[] = [
  'blue',
  'green',
  'orange',
  'violet',
  'pink',
  'yellow',
  'red',
  'gray',
];
export const maxLabelName = 50;

export interface LabelPickerProps {
  readonly opened: boolean;
  readonly onOpened: (opened: boolean) => void;
  /** The labels of each chosen submission. */
  readonly chosen: readonly (readonly ShownLabel[])[];
  readonly onLabel: (labelId: string, isOn: boolean) => void;
  /** What opens it: a button that takes a ref. */
  readonly children: ReactElement;
}

function Choices({ chosen, onLabel }: Pick<LabelPickerProps, 'chosen' | 'onLabel'>) {
  const [text, setText] = useState('');
  const labels = useLabels().data ?? [];
  const create = useCreateLabel();
  const name = text.trim();
  const wanted = name.toLowerCase();
  const found = labels.filter((label) => label.name.toLowerCase().includes(wanted));
  const isNew = name !== '' && !labels.some((label) => label.name.toLowerCase() === wanted);
  const createIt = async () => {
    try {
      const color = labelColors[labels.length % labelColors.length] ?? 'gray';
      onLabel((await create.mutateAsync({ name, color })).id, true);
      setText('');
    } catch (error) {
      tellFailure(words.createLabelFailed, error);
    }
  };
  return (
    <Stack gap="xs">
      <TextInput
        size="xs"
        data-autofocus
        aria-label={words.findOrCreateLabel}
        placeholder={words.findOrCreateLabel}
        maxLength={maxLabelName}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && isNew && found.length === 0) void createIt();
        }}
      />
      <ScrollArea.Autosize mah={240}>
        <Stack gap="xs" p={4}>
          {found.map((label) => {
            const count = chosen.filter((has) => has.some(({ id }) => id === label.id)).length;
            const isOn = count === chosen.length && count > 0;
            return (
              <Checkbox
                key={label.id}
                size="xs"
                checked={isOn}
                indeterminate={count > 0 && !isOn}
                onChange={() => onLabel(label.id, !isOn)}
                label={
                  <Group gap="xs" wrap="nowrap">
                    <LabelDot color={label.color} />
                    <Untrusted>{label.name}</Untrusted>
                  </Group>
                }
              />
            );
          })}
          {labels.length === 0 && name === '' && (
            <Text size="xs" c="dimmed">
              {words.noLabels}
            </Text>
          )}
        </Stack>
      </ScrollArea.Autosize>
      {isNew && (
        <Button
          size="compact-sm"
          variant="default"
          loading={create.isPending}
          onClick={() => void createIt()}
        >
          {words.createLabel(name)}
        </Button>
      )}
    </Stack>
  );
}

export function LabelPicker({ opened, onOpened, chosen, onLabel, children }: LabelPickerProps) {
  return (
    <Popover opened={opened} onChange={onOpened} position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown miw={220} maw={320} aria-label={words.labels}>
        <Choices chosen={chosen} onLabel={onLabel} />
      </Popover.Dropdown>
    </Popover>
  );
}
