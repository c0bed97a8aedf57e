/** Replays many deliveries: selection, count, then the replay itself, which can be stopped. */
import { Button, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, wordsOf } from '../../api.js';
import { rangeOf } from '../../inbox/filter-params.js';
import { keys, type Owner } from '../../queries.js';
import type { ReplayCount, ReplayFull, ReplayList, ReplayRequest } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/deliveries.js';
import * as states from '../../words/states.js';
import { DayRange, usualPerMinute as perMinute, StartedReplay } from './replay-parts.js';

export type Replayed = NonNullable<ReplayRequest['state']>;

/** The account's latest replays. One for this owner may still be running. */
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
  /** Null when closed. */
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
    <Modal opened={opened} onClose={close} title={words.replayDeliveries}>
      {started !== null ? (
        <StartedReplay id={started} onClose={close} />
      ) : (
        <Stack gap="md">
          <Text size="sm">{words.replayDescription}</Text>
          <Stack gap={8}>
            <Text size="sm" fw={500}>
              {words.whichDeliveries}
            </Text>
            <SegmentedControl
              value={state}
              onChange={(value) => onReplayed(value as Replayed)}
              data={[
                { value: 'failed', label: states.failed },
                { value: 'pending', label: states.waiting },
                { value: 'delivered', label: states.delivered },
              ]}
              aria-label={words.whichDeliveries}
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
                ? words.counting
                : found === 0
                  ? words.noMatchesHint
                  : words.replayEstimate(found, perMinute, (found / perMinute) * 60_000)}
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <Button
              disabled={found === 0 || isCounting}
              loading={start.isPending}
              onClick={() => start.mutate()}
            >
              {found === 0 ? words.replay : words.replayMany(found)}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
