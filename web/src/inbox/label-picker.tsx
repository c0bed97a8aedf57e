/** Adds labels to one or many submissions, and creates new labels. */
import { Button, Checkbox, Group, Popover, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useCreateLabel, useLabels } from '../inbox-queries.js';
import { useMay } from '../may.js';
import { tellFailure } from '../ui/tell.js';
import { Untrusted } from '../ui/untrusted.js';
import type { Label, LabelColor } from '../wire.js';
import * as words from '../words/inbox-actions.js';
import { LabelDot, type ShownLabel } from './label-chips.js';

/** New labels cycle through these, so that two rarely look alike. */
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
/** The colour of the next label, given the number of existing ones. */
export const colorOfNext = (count: number): LabelColor => labelColors[count % labelColors.length] ?? 'gray';
export const maxLabelName = 50;

export interface LabelPickerProps {
  readonly opened: boolean;
  readonly onOpened: (opened: boolean) => void;
  /** The labels of each selected submission. */
  readonly chosen: readonly (readonly ShownLabel[])[];
  readonly onLabel: (labelId: string, isOn: boolean) => void;
  /** The trigger: a button that accepts a ref. */
  readonly children: ReactElement;
}

/** Prefix matches come first. */
function matching(labels: readonly Label[], wanted: string): readonly Label[] {
  const begins = ({ name }: Label) => Number(name.toLowerCase().startsWith(wanted));
  return labels
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .sort((a, b) => begins(b) - begins(a));
}

function Choices({ chosen, onLabel }: Pick<LabelPickerProps, 'chosen' | 'onLabel'>) {
  const [text, setText] = useState('');
  const labels = useLabels().data ?? [];
  const create = useCreateLabel();
  const mayCreate = useMay('labels.manage');
  const prompt = mayCreate ? words.findOrCreateLabel : words.findLabel;
  const name = text.trim();
  const wanted = name.toLowerCase();
  const found = matching(labels, wanted);
  // With no input, no label is selected until an arrow key moves to one.
  const [walkedTo, walkTo] = useState<number | null>(null);
  const marked = walkedTo ?? (wanted === '' ? -1 : 0);
  const isNew = mayCreate && name !== '' && !labels.some((label) => label.name.toLowerCase() === wanted);
  const write = (next: string) => {
    setText(next);
    walkTo(null);
  };
  const isOnAll = (label: ShownLabel) =>
    chosen.length > 0 && chosen.every((has) => has.some(({ id }) => id === label.id));
  const createIt = async () => {
    try {
      onLabel((await create.mutateAsync({ name, color: colorOfNext(labels.length) })).id, true);
      write('');
    } catch (error) {
      tellFailure(words.createLabelFailed, error);
    }
  };
  const onEnter = () => {
    const label = found[marked];
    if (label !== undefined) {
      onLabel(label.id, !isOnAll(label));
      write('');
    } else if (isNew && !create.isPending) void createIt();
  };
  const keys: Readonly<Record<string, () => void>> = {
    Enter: onEnter,
    ArrowDown: () => walkTo(Math.min(marked + 1, found.length - 1)),
    ArrowUp: () => walkTo(Math.max(marked - 1, 0)),
  };
  return (
    <Stack gap="xs">
      <TextInput
        size="xs"
        data-autofocus
        aria-label={prompt}
        placeholder={prompt}
        maxLength={maxLabelName}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          const work = event.nativeEvent.isComposing ? undefined : keys[event.key];
          if (work === undefined) return;
          event.preventDefault();
          work();
        }}
      />
      <ScrollArea.Autosize mah={240}>
        <Stack gap="xs" p={4}>
          {found.map((label, place) => {
            const isOn = isOnAll(label);
            const isOnSome = chosen.some((has) => has.some(({ id }) => id === label.id));
            return (
              <Checkbox
                key={label.id}
                size="xs"
                className={place === marked ? 'marked-choice' : ''}
                checked={isOn}
                indeterminate={isOnSome && !isOn}
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
              {mayCreate ? words.noLabels : words.noLabelsToUse}
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
