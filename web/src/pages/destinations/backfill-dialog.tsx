/** Sends past submissions to a destination: start, count, rate, then the progress. */
import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, wordsOf } from '../../api.js';
import { dayAt, rangeOf } from '../../inbox/filter-params.js';
import { ExactTime } from '../../ui/relative-time.js';
import type { BackfillRequest, Destination, ReplayCount, ReplayFull } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/destinations.js';
import { DayRange, StartedReplay, usualPerMinute } from '../deliveries/replay-parts.js';

const mostPerMinute = 60_000;

interface BackfillDialogProps {
  readonly destination: Destination;
  /** Preselects submissions missed since then; null: none are known to be missed. */
  readonly since: string | null;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function BackfillDialog({ destination, since, opened, onClose }: BackfillDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={since === null ? words.sendPastSubmissions : words.sendWhatWasMissed}
    >
      {/* Mounted anew each time the dialog opens. */}
      {opened && <Backfill destination={destination} since={since} onClose={onClose} />}
    </Modal>
  );
}

function Backfill({ destination, since, onClose }: Omit<BackfillDialogProps, 'opened'>) {
  const client = useQueryClient();
  const firstDay = since === null ? '' : dayAt(new Date(since));
  const [from, setFrom] = useState(firstDay);
  const [to, setTo] = useState('');
  const [perMinute, setPerMinute] = useState(usualPerMinute);
  const [started, setStarted] = useState<string | null>(null);
  const isExact = since !== null && from === firstDay;
  const range = { ...rangeOf(from, to), ...(isExact && { since }) };
  const path = `/destinations/${destination.id}/backfill`;
  const count = useQuery({
    queryKey: ['replays', 'backfill', destination.id, range],
    queryFn: () => api.post<ReplayCount>(path, { ...range, dry_run: true } satisfies BackfillRequest),
    enabled: started === null,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const start = useMutation({
    mutationFn: () =>
      api.post<ReplayFull>(path, { ...range, per_minute: perMinute } satisfies BackfillRequest),
    onSuccess: ({ id }) => {
      setStarted(id);
      void client.invalidateQueries({ queryKey: ['replays'], exact: true });
    },
  });
  const found = count.data?.count ?? 0;
  const problem = start.error ?? count.error;
  if (started !== null) return <StartedReplay id={started} onClose={onClose} />;
  return (
    <Stack gap="md">
      <Text size="sm">
        {isExact ? words.backfillDescriptionFrom(<ExactTime iso={since} />) : words.backfillDescription}
      </Text>
      <DayRange from={from} to={to} onFrom={setFrom} onTo={setTo} />
      <NumberInput
        label={words.submissionsPerMinute}
        min={1}
        max={mostPerMinute}
        clampBehavior="strict"
        allowDecimal={false}
        allowNegative={false}
        value={perMinute}
        onChange={(value) => setPerMinute(Number(value) || 1)}
        styles={{ wrapper: { maxWidth: 160 } }}
      />
      <Text size="sm" role="status" mih={22} {...(problem !== null && { c: 'var(--mantine-color-error)' })}>
        {problem !== null
          ? wordsOf(problem)
          : count.data === undefined
            ? words.counting
            : found === 0
              ? words.noSubmissionMatches
              : words.backfillEstimate(found, (found / perMinute) * 60_000)}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {since === null ? common.cancel : words.notNow}
        </Button>
        <Button
          disabled={found === 0 || count.isFetching}
          loading={start.isPending}
          onClick={() => start.mutate()}
        >
          {found === 0 ? words.send : words.sendMany(found)}
        </Button>
      </Group>
    </Stack>
  );
}
