/** Retries a selection: deliveries, or the undelivered deliveries of submissions. */

import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api.js';
import { keys } from '../../queries.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { DeliveriesQueued } from '../../wire.js';
import * as words from '../../words/deliveries.js';

const maxAtOnce = 1_000;

/** The API's name for the kind of ids. */
type Named = 'ids' | 'submission_ids';

async function retryAll(name: Named, ids: readonly string[]): Promise<number> {
  let queued = 0;
  for (let at = 0; at < ids.length; at += maxAtOnce) {
    const body = { [name]: ids.slice(at, at + maxAtOnce) };
    queued += (await api.post<DeliveriesQueued>('/deliveries/retry', body)).queued;
  }
  return queued;
}

interface RetryButtonProps {
  readonly name: Named;
  readonly ids: readonly string[];
  readonly onDone: () => void;
}

/** Only for users who may manage these deliveries. */
export function RetryButton({ name, ids, onDone }: RetryButtonProps) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => retryAll(name, ids),
    onSuccess: (queued) => {
      tellDone(queued === 0 ? words.nothingToRetry : words.retried(queued));
      onDone();
    },
    onError: (error) => tellFailure(words.notAllRetried, error),
    onSettled: () => client.invalidateQueries({ queryKey: keys.deliveries }),
  });
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      color="gray"
      leftSection={<IconRefresh />}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    >
      {words.retry}
    </Button>
  );
}
