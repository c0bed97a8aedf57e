/** Shared by replays and backfills: the date range and the progress. */
import { Button, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, wordsOf } from '../../api.js';
import type { ReplayFull } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/deliveries.js';

export const usualPerMinute = 600;

interface DayRangeProps {
  readonly from: string;
  readonly to: string;
  readonly onFrom: (day: string) => void;
  readonly onTo: (day: string) => void;
}

export function DayRange({ from, to, onFrom, onTo }: DayRangeProps) {
  return (
    <>
      <Group gap="xs" grow>
        <TextInput
          type="date"
          label={words.submittedFrom}
          value={from}
          max={to || undefined}
          onChange={(event) => onFrom(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={words.to}
          value={to}
          min={from || undefined}
          onChange={(event) => onTo(event.currentTarget.value)}
        />
      </Group>
      <Text size="xs" c="dimmed" mt={-8}>
        {words.rangeHint}
      </Text>
    </>
  );
}

/** Polled every second while it runs. */
const useReplay = (id: string) =>
  useQuery({
    queryKey: ['replays', id],
    queryFn: ({ signal }) => api.get<ReplayFull>(`/deliveries/replays/${id}`, undefined, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'running' || !state.data ? 1_000 : false),
  });

/** Replaces the dialog's form after the start. */
export function StartedReplay({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { status = 'running' } = useReplay(id).data ?? {};
  return (
    <Stack gap="md">
      <ReplayProgress id={id} />
      {status === 'running' && (
        <Text size="xs" c="dimmed">
          {words.keepsRunning}
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {common.close}
        </Button>
      </Group>
    </Stack>
  );
}

export function ReplayProgress({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const replay = useReplay(id);
  const cancel = useMutation({
    mutationFn: () => api.post<ReplayFull>(`/deliveries/replays/${id}/cancel`),
    onSuccess: (stopped) => client.setQueryData(['replays', id], stopped),
  });
  const { status = 'running', sent = 0, count = 0, per_minute = usualPerMinute } = replay.data ?? {};
  // A backfill sends to a destination for the first time, not again.
  const isAgain = !replay.data?.destination_id;
  const left = Math.max(count - sent, 0);
  const said = {
    running: `${words.replayRunning(sent, count, isAgain)}${
      left > 0 ? ` · ${words.replayLeft((left / per_minute) * 60_000)}` : ''
    }`,
    finished: words.replayFinished(sent, isAgain),
    cancelled: words.replayCancelled(sent),
  }[status];
  return (
    <Stack gap="xs">
      <Progress
        value={status === 'finished' ? 100 : count === 0 ? 0 : (100 * sent) / count}
        color={status === 'cancelled' ? 'gray' : 'accent'}
        aria-label={isAgain ? words.queuedAgain : words.queued}
      />
      <Group justify="space-between" mih={30}>
        <Text size="sm" c="dimmed" role="status">
          {replay.isPending ? words.starting : said}
        </Text>
        {status === 'running' && (
          <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            {words.stop}
          </Button>
        )}
      </Group>
      {(replay.isError || cancel.isError) && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {wordsOf(replay.error ?? cancel.error)}
        </Text>
      )}
    </Stack>
  );
}
