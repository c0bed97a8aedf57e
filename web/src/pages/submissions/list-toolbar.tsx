/** What narrows a list of submissions. The filter itself lives in the address. */
import { Group, Kbd, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useKeys } from '../../ui/keyboard.js';
import type { WebhookState } from '../../wire.js';
import { DayRange } from './day-range.js';
import type { FilterParams } from './filter-params.js';

interface ListToolbarProps {
  readonly params: FilterParams;
  readonly onChange: (params: FilterParams) => void;
  readonly hasDeliveries: boolean;
  /** At the right. */
  readonly children: ReactNode;
}

export function ListToolbar({ params, onChange, hasDeliveries, children }: ListToolbarProps) {
  const input = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState(params.q);
  const search = useDebouncedCallback((q: string) => onChange({ ...params, q }), 250);
  // The address changed by other means: the search of the head, or the way back.
  useEffect(() => {
    setWords((now) => (now.trim() === params.q ? now : params.q));
  }, [params.q]);
  useKeys({ '/': () => input.current?.select() }, true, true);
  return (
    <Group gap="xs">
      <TextInput
        ref={input}
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          search(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') input.current?.blur();
          if (event.key === 'Enter') input.current?.blur();
        }}
        placeholder="Search in submissions"
        aria-label="Search in submissions"
        leftSection={<IconSearch size={16} stroke={1.6} />}
        rightSection={
          <Kbd size="xs" visibleFrom="sm">
            /
          </Kbd>
        }
        rightSectionPointerEvents="none"
        maxLength={500}
        style={{ flex: '1 1 200px', maxWidth: 360 }}
      />
      <DayRange
        from={params.from}
        to={params.to}
        onChange={(from, to) => onChange({ ...params, from, to })}
      />
      {(hasDeliveries || params.state !== null) && (
        <Select
          w={150}
          aria-label="Delivery state"
          value={params.state ?? 'any'}
          onChange={(state) =>
            onChange({ ...params, state: state === 'any' ? null : (state as WebhookState | null) })
          }
          data={[
            { value: 'any', label: 'Any state' },
            { value: 'delivered', label: 'Delivered' },
            { value: 'pending', label: 'Waiting' },
            { value: 'failed', label: 'Failed' },
          ]}
          allowDeselect={false}
          comboboxProps={{ withinPortal: true }}
        />
      )}
      <Group gap="xs" ml={{ sm: 'auto' }}>
        {children}
      </Group>
    </Group>
  );
}
