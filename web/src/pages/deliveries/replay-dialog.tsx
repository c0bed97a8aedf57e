/** Sends many deliveries again: which ones, how many that are, then the sending itself, which can be stopped. */
import { Button, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, wordsOf } from '../../api.js';
import { rangeOf } from '../../inbox/filter-params.js';
import { keys, type Owner } from '../../queries.js';
import { countOf } from '../../ui/numbers.js';
import type { ReplayCount, ReplayFull, ReplayList, ReplayRequest } from '../../wire.js';
import { formatDuration, formatNumber } from '../../words/format.js';
import { DayRange, usualPerMinute as perMinute, StartedReplay } from './replay-parts.js';

export type Replayed = NonNullable<ReplayRequest['state']>;

/** The last replays of the account; one of this owner may still be running. */
export const useReplays = () =>
  useQuery({
    queryKey: ['replays'],
    queryFn: ({ signal }) => api.get<ReplayList>('/deliveries/replays', undefined, signal),
    select: ({ data }) => data,
  });

export const isOf = (owner: Owner, replay: ReplayFull): boolean =>
  'formId' in owner ? replay.form_id === owner.formId : replay.project_id === owner.projectId;

const wishOf = (owner: Owner, state: Replayed, from: string, to: string): ReplayRequest => ({
  ...('formId' in owner ? { form_id: owner.formId } : { project_id: owner.projectId }),
  state,
  ...rangeOf(from, to),
});

interface ReplayDialogProps {
  readonly owner: Owner;
  /** null: it is closed. */
  readonly replayed: Replayed | null;
  readonly onReplayed: (replayed: Replayed | null) => void;
}

export function ReplayDialog({ owner, replayed, onReplayed }: ReplayDialogProps) {
  const client = useQueryClient();
  const opened = replayed !== null;
  const state = replayed ?? 'failed';
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [started, setStarted] = useState<string | null>(null);
  const wish = wishOf(owner, state, from, to);
  const count = useQuery({
    queryKey: ['replays', 'count', wish],
    queryFn: () => api.post<ReplayCount>('/deliveries/replay', { ...wish, dry_run: true }),
    enabled: opened && started === null,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const start = useMutation({
    mutationFn: () => api.post<ReplayFull>('/deliveries/replay', wish),
    onSuccess: ({ id }) => {
      setStarted(id);
      void client.invalidateQueries({ queryKey: ['replays'], exact: true });
    },
  });
  const close = () => {
    onReplayed(null);
    setStarted(null);
    start.reset();
    void client.invalidateQueries({ queryKey: ['replays'], exact: true });
    void client.invalidateQueries({ queryKey: keys.deliveries });
  };
  const found = count.data?.count ?? 0;
  const isCounting = count.isFetching;
  return (
    <Modal opened={opened} onClose={close} title="Replay deliveries">
      {started !== null ? (
        <StartedReplay id={started} onClose={close} />
      ) : (
        <Stack gap="md">
          <Text size="sm">
            Each delivery is sent to the current address. It has the same ID, so your endpoint can skip
            duplicates.
          </Text>
          <Stack gap={8}>
            <Text size="sm" fw={500}>
              Which deliveries
            </Text>
            <SegmentedControl
              value={state}
              onChange={(value) => onReplayed(value as Replayed)}
              data={[
                { value: 'failed', label: 'Failed' },
                { value: 'pending', label: 'Waiting' },
                { value: 'delivered', label: 'Delivered' },
              ]}
              aria-label="Which deliveries"
            />
          </Stack>
          <DayRange from={from} to={to} onFrom={setFrom} onTo={setTo} />
          <Text
            size="sm"
            role="status"
            mih={22}
            {...((count.isError || start.isError) && { c: 'var(--mantine-color-error)' })}
          >
            {count.isError || start.isError
              ? wordsOf(start.error ?? count.error)
              : isCounting && count.data === undefined
                ? 'Counting…'
                : found === 0
                  ? 'No matching deliveries.'
                  : `${countOf(found, 'delivery', 'deliveries')}, ${formatNumber(perMinute)} per minute: about ${formatDuration((found / perMinute) * 60_000)}.`}
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              disabled={found === 0 || isCounting}
              loading={start.isPending}
              onClick={() => start.mutate()}
            >
              {found === 0 ? 'Replay' : `Replay ${countOf(found, 'delivery', 'deliveries')}`}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
