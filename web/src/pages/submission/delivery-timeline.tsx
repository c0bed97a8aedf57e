/** The timeline of a submission: received, checked, stored, and each delivery with its attempts. Updates live. */

import { Button, Group, Skeleton, Stack, Text, Timeline, Title, Tooltip } from '@mantine/core';
import {
  IconDatabase,
  IconFilterOff,
  IconInbox,
  IconMailCheck,
  IconPlayerPause,
  IconRefresh,
  IconSend,
  IconShieldCheck,
  type TablerIcon,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api.js';
import { useLive } from '../../live.js';
import { useMay } from '../../may.js';
import { keys } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { browserOf } from '../../ui/browser-words.js';
import { CopyButton } from '../../ui/copy-button.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { meanings } from '../../ui/state-badge.js';
import { tellFailure } from '../../ui/tell.js';
import { Untrusted, UntrustedLink } from '../../ui/untrusted.js';
import type { DeliveryItem, DeliveryItems, Submission } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submission.js';
import { lookOf } from '../destinations/kinds.js';
import { DeliveryAttempts } from './delivery-attempts.js';
import { lookAgainMs, pausedIn } from './next-try.js';

const sign = (Icon: TablerIcon) => <Icon size={13} stroke={1.8} />;
const stateSign = (state: DeliveryItem['state'], paused: 'spam' | 'trash' | null) => {
  if (state === 'pending' && paused !== null) return sign(IconPlayerPause);
  const { color, icon: Icon } = meanings[state];
  return <Icon size={14} stroke={2.4} color={`var(--mantine-color-${color}-light-color)`} />;
};

/** A manual retry sends undelivered deliveries, or all of them if everything was delivered. */
function retryWords(list: readonly DeliveryItem[]): string {
  const countOf = (state: DeliveryItem['state']) => list.filter((each) => each.state === state).length;
  const [failed, waiting] = [countOf('failed'), countOf('pending')];
  if (list.length === 0) return words.sendNow;
  if (failed + waiting === 0) return words.sendAgain;
  if (waiting === 0) return words.retryFailed(failed);
  return failed === 0 ? words.sendWaiting(waiting) : words.retryUndelivered(failed + waiting);
}

type TitleProps = Pick<DeliveryItem, 'kind' | 'name'> & Partial<Pick<DeliveryItem, 'target'>>;

/** The kind and name of a destination, and its owner if that is the project. */
function DestinationTitle({ kind, name, target }: TitleProps) {
  const { icon: Icon, title } = lookOf(kind);
  return (
    <Group gap={8} wrap="nowrap">
      <Icon size={16} stroke={1.6} aria-label={title} style={{ flex: 'none' }} />
      <span style={{ overflowWrap: 'anywhere' }}>
        <Untrusted>{name}</Untrusted>
        {target === 'project' && (
          <Text span inherit c="dimmed" fw={400}>
            {' '}
            {words.ofTheProject}
          </Text>
        )}
      </span>
    </Group>
  );
}

function Received({ submission }: { readonly submission: Submission }) {
  const { ip, user_agent, submitted_from, control_fields = {} } = submission.metadata;
  const browser = browserOf(user_agent);
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        <RelativeTime iso={submission.created_at} />
      </Text>
      <Group gap={4}>
        <Text size="sm">{words.receivedFrom(<span className="mono">{ip}</span>)}</Text>
        <CopyButton value={ip} label={words.copyAddress} />
      </Group>
      {user_agent === '' ? (
        <Text size="sm" c="dimmed">
          {words.noBrowser}
        </Text>
      ) : (
        <Tooltip label={beginning(user_agent, 400)} multiline maw={420}>
          <Text size="sm" w="fit-content" tabIndex={0}>
            {words.receivedWith(<Untrusted>{browser ?? beginning(user_agent, 120)}</Untrusted>)}
          </Text>
        </Tooltip>
      )}
      {submitted_from === '' ? (
        <Text size="sm" c="dimmed">
          {words.noPage}
        </Text>
      ) : (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {words.receivedOn(<UntrustedLink text={beginning(submitted_from, 2_000)} />)}
        </Text>
      )}
      {Object.entries(control_fields).map(([name, value]) => (
        <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <span className="mono">
            <Untrusted>{beginning(name, 100)}</Untrusted>
          </span>
          : <Untrusted>{beginning(value, 400)}</Untrusted>
        </Text>
      ))}
    </Stack>
  );
}

function Confirmation({ confirmation }: { readonly confirmation: NonNullable<Submission['confirmation']> }) {
  const { confirmed_at, ip } = confirmation;
  const address = <Untrusted>{beginning(confirmation.address, 254)}</Untrusted>;
  if (confirmed_at === null)
    return (
      <Text size="sm" c="dimmed">
        {words.askedToConfirm(address)}
      </Text>
    );
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        <RelativeTime iso={confirmed_at} />
      </Text>
      <Text size="sm">{words.confirmedBy(address)}</Text>
      {ip !== null && <Text size="sm">{words.receivedFrom(<span className="mono">{ip}</span>)}</Text>}
    </Stack>
  );
}

export function DeliveryTimeline({ submission }: { readonly submission: Submission }) {
  const client = useQueryClient();
  const queryKey = ['deliveries', 'of', submission.id];
  const paused = pausedIn(submission);
  const deliveries = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      api.get<DeliveryItems>(`/submissions/${submission.id}/deliveries`, undefined, signal),
    refetchInterval: ({ state }) => paused === null && lookAgainMs(state.data?.data ?? [], Date.now()),
  });
  useLive(
    { formId: submission.form_id },
    {
      onDelivery: ({ submission_id }) => {
        if (submission_id === submission.id) void client.invalidateQueries({ queryKey });
      },
      // Without ids, this submission may be affected too.
      onTouched: ({ ids }) => {
        if (ids.length === 0 || ids.includes(submission.id))
          void client.invalidateQueries({ queryKey: keys.submission(submission.id) });
      },
    },
  );
  const retry = useMutation({
    mutationFn: () => api.post<DeliveryItems>(`/submissions/${submission.id}/retry-webhook`),
    onSuccess: (answer) => {
      client.setQueryData(queryKey, answer);
      void client.invalidateQueries({ queryKey: ['deliveries', 'list'] });
    },
    onError: (error) => tellFailure(words.nothingSent, error),
  });
  const mayRetry = useMay('deliveries.manage', submission.project_id);
  const list = deliveries.data?.data ?? [];
  const { confirmation } = submission;
  const skipped = deliveries.data?.skipped ?? [];
  return (
    <Stack gap="md">
      <Group justify="space-between" mih={30}>
        <Title order={2}>{words.timeline}</Title>
        {deliveries.isSuccess && paused === null && mayRetry && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={15} stroke={1.6} />}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {retryWords(list)}
          </Button>
        )}
      </Group>
      <Timeline bulletSize={24} lineWidth={1} color="gray">
        <Timeline.Item bullet={sign(IconInbox)} title={words.received}>
          <Received submission={submission} />
        </Timeline.Item>
        <Timeline.Item bullet={sign(IconShieldCheck)} title={words.checksPassed}>
          <Text size="sm" c="dimmed">
            {words.checksPassedDescription}
          </Text>
        </Timeline.Item>
        <Timeline.Item bullet={sign(IconDatabase)} title={words.stored}>
          <Text size="sm" c="dimmed">
            {words.storedParts(Object.keys(submission.data).length, submission.files.length)}
          </Text>
        </Timeline.Item>
        {confirmation !== undefined && (
          <Timeline.Item
            bullet={sign(IconMailCheck)}
            title={confirmation.confirmed_at === null ? words.notConfirmedYet : words.confirmed}
          >
            <Confirmation confirmation={confirmation} />
          </Timeline.Item>
        )}
        {deliveries.isPending && (
          <Timeline.Item bullet={sign(IconSend)} title={common.deliveries}>
            <Skeleton h={14} w="60%" />
          </Timeline.Item>
        )}
        {deliveries.isSuccess && list.length + skipped.length === 0 && (
          <Timeline.Item bullet={sign(IconSend)} title={words.notSentOn} lineVariant="dashed">
            <Text size="sm" c="dimmed">
              {words.notSentOnHint}
            </Text>
          </Timeline.Item>
        )}
        {list.map((delivery) => (
          <Timeline.Item
            key={delivery.id}
            bullet={stateSign(delivery.state, paused)}
            title={<DestinationTitle {...delivery} />}
          >
            <DeliveryAttempts
              delivery={delivery}
              pausedIn={paused}
              isRetriedAlone={mayRetry && list.length > 1}
            />
          </Timeline.Item>
        ))}
        {skipped.map((destination) => (
          <Timeline.Item
            key={destination.destination_id}
            bullet={sign(IconFilterOff)}
            title={<DestinationTitle {...destination} />}
            lineVariant="dashed"
          >
            <Text size="sm" c="dimmed">
              {words.skippedByFilter}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
      {deliveries.isLoadingError && (
        <ProblemState error={deliveries.error} retry={() => void deliveries.refetch()} />
      )}
    </Stack>
  );
}
