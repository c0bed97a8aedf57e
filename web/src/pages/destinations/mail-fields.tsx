/** E-mail settings that need more than a text input: routing by a field, reply-to, and digests. */
import {
  ActionIcon,
  Button,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { TextList } from '../../ui/text-list.js';
import type { DigestSchedule } from '../../wire.js';
import { readerZone, weekdayNames } from '../../words/format.js';
import * as words from '../../words/mail-editor.js';
import type { RouteDraft } from './destination-draft.js';

interface FieldProps<Value> {
  readonly label: string;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export function ReplyTo({ value, onChange, ...frame }: FieldProps<string>) {
  const choice = value === 'visitor' || value === 'none' ? value : 'address';
  return (
    <Input.Wrapper {...frame} labelElement="div">
      <Stack gap="xs" mt={4} align="flex-start">
        <SegmentedControl
          aria-label={frame.label}
          value={choice}
          data={Object.entries(words.replyChoices).map(([name, label]) => ({ value: name, label }))}
          onChange={(chosen) => onChange(chosen === 'address' ? '' : chosen)}
        />
        {choice === 'address' && (
          <TextInput
            aria-label={words.replyAddress}
            type="email"
            placeholder="you@example.com"
            maxLength={254}
            w="100%"
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        )}
      </Stack>
    </Input.Wrapper>
  );
}

const maxValues = 50;
const noRoute: RouteDraft = { field: '', rows: [{ value: '', addresses: [] }], otherwise: [] };

export function Route({ value: route, onChange, ...frame }: FieldProps<RouteDraft | null>) {
  const { label, ...rest } = frame;
  return (
    <Stack gap="sm">
      <Switch
        label={label}
        {...rest}
        checked={route !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? noRoute : null)}
      />
      {route !== null && <RouteRows route={route} onChange={onChange} />}
    </Stack>
  );
}

function RouteRows({
  route,
  onChange,
}: {
  readonly route: RouteDraft;
  readonly onChange: (route: RouteDraft) => void;
}) {
  const { rows } = route;
  const change = (index: number, changed: Partial<RouteDraft['rows'][number]>) =>
    onChange({ ...route, rows: rows.map((row, place) => (place === index ? { ...row, ...changed } : row)) });
  return (
    <>
      <TextInput
        label={words.routeField}
        placeholder={words.routeFieldExample}
        maxLength={256}
        spellCheck={false}
        value={route.field}
        onChange={(event) => onChange({ ...route, field: event.currentTarget.value })}
      />
      {rows.map(({ value, addresses }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own, and stay in their order
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            aria-label={words.routeValue(index + 1)}
            placeholder={words.routeValueExample}
            maxLength={256}
            value={value}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
            style={{ flex: '1 1 0' }}
          />
          <div style={{ flex: '2 1 0', minWidth: 0 }}>
            <TextList
              aria-label={words.routeAddresses(index + 1)}
              placeholder="sales@example.com"
              value={[...addresses]}
              onChange={(list) => change(index, { addresses: list })}
            />
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={words.removeValue(index + 1)}
            onClick={() => onChange({ ...route, rows: rows.filter((_, place) => place !== index) })}
          >
            <IconX />
          </ActionIcon>
        </Group>
      ))}
      {rows.length < maxValues && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus />}
            onClick={() => onChange({ ...route, rows: [...rows, { value: '', addresses: [] }] })}
          >
            {words.addValue}
          </Button>
        </Group>
      )}
      <TextList
        label={words.otherwise}
        placeholder="you@example.com"
        value={[...route.otherwise]}
        onChange={(otherwise) => onChange({ ...route, otherwise })}
      />
    </>
  );
}

const usual = { hour: 8, weekday: 1 } as const;
const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));
const isEvery = (chosen: string): chosen is DigestSchedule['every'] =>
  chosen === 'hour' || chosen === 'day' || chosen === 'week';

export function Digest({ value: digest, onChange, ...frame }: FieldProps<DigestSchedule | null>) {
  const choose = (chosen: string) =>
    onChange(isEvery(chosen) ? { ...usual, time_zone: readerZone(), ...digest, every: chosen } : null);
  return (
    <Input.Wrapper {...frame} labelElement="div">
      <Stack gap="xs" mt={4} align="flex-start">
        <SegmentedControl
          aria-label={frame.label}
          value={digest?.every ?? 'off'}
          data={Object.entries(words.every).map(([name, label]) => ({ value: name, label }))}
          onChange={choose}
        />
        {digest !== null && (
          <Group gap="xs" align="flex-end">
            {digest.every === 'week' && (
              <NativeSelect
                label={words.weekday}
                data={weekdayNames().map((label, index) => ({ value: String(index + 1), label }))}
                value={String(digest.weekday ?? usual.weekday)}
                onChange={(event) => onChange({ ...digest, weekday: Number(event.currentTarget.value) })}
              />
            )}
            {digest.every !== 'hour' && (
              <NativeSelect
                label={words.hour}
                data={hours}
                value={String(digest.hour ?? usual.hour)}
                onChange={(event) => onChange({ ...digest, hour: Number(event.currentTarget.value) })}
              />
            )}
            <TextInput
              label={words.timeZone}
              placeholder={words.timeZoneExample}
              maxLength={64}
              spellCheck={false}
              value={digest.time_zone}
              onChange={(event) => onChange({ ...digest, time_zone: event.currentTarget.value })}
            />
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
