/** The program that serves this page: how it is, since when, and how it sees you. */
import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconCheck, IconClock, IconExternalLink, IconMinus, IconX } from '@tabler/icons-react';
import { instancePath } from '../../page-facts.js';
import { useInstance } from '../../queries.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Facts } from '../../ui/facts.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import type { Instance } from '../../wire.js';
import { formatDuration } from '../../words/format.js';
import { type Check, checksOf } from './checks.js';

const shapes = {
  good: { icon: IconCheck, color: 'var(--state-delivered)', word: 'Good' },
  waiting: { icon: IconClock, color: 'var(--state-waiting)', word: 'Waiting' },
  bad: { icon: IconX, color: 'var(--state-failed)', word: 'Needs attention' },
  off: { icon: IconMinus, color: 'var(--mantine-color-dimmed)', word: 'Off' },
} as const;

function CheckValue({ state, words }: Pick<Check, 'state' | 'words'>) {
  const { icon: Icon, color, word } = shapes[state];
  return (
    <Group gap={8} wrap="nowrap" align="center">
      <Icon color={color} role="img" aria-label={word} />
      <span>
        {state !== 'good' && state !== 'off' && <b>{word}: </b>}
        {words}
      </span>
    </Group>
  );
}

const OpsLink = ({ path, children }: { readonly path: string; readonly children: string }) => (
  <Anchor href={`${instancePath}${path}`} target="_blank" rel="noopener" size="sm">
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      {children}
      <IconExternalLink aria-label="opens a new window" />
    </Group>
  </Anchor>
);

const roles = {
  all: 'Requests and deliveries',
  api: 'Requests (api)',
  worker: 'Deliveries (worker)',
} as const;

const ProcessFacts = ({ processes }: { readonly processes: NonNullable<Instance['processes']> }) => (
  <Facts
    title="Processes"
    facts={processes.map(({ role, host, pid, version, started_at, seen_at }) => ({
      name: roles[role],
      id: `${host} ${pid}`,
      value: (
        <>
          <span className="mono">{host}</span>, process <span className="mono">{pid}</span>, version{' '}
          <span className="mono">{version}</span>
        </>
      ),
      hint: (
        <>
          Started <RelativeTime iso={started_at} />, last seen <RelativeTime iso={seen_at} />
        </>
      ),
    }))}
  />
);

const InstanceFacts = ({ instance }: { readonly instance: Instance }) => (
  <Stack gap="md">
    <Facts
      title="State"
      facts={checksOf(instance).map(({ name, hint, ...check }) => ({
        name,
        value: <CheckValue {...check} />,
        ...(hint === undefined ? {} : { hint }),
      }))}
    />
    <Facts
      title="This program"
      facts={[
        { name: 'Version', value: <span className="mono">{instance.version}</span> },
        { name: 'Node.js', value: <span className="mono">{instance.node}</span> },
        {
          name: 'Started',
          value: (
            <>
              <RelativeTime iso={instance.started_at} />, running for{' '}
              {formatDuration(instance.uptime_s * 1000)}
            </>
          ),
        },
        {
          name: 'Your address',
          value: (
            <Group gap={4} wrap="nowrap">
              <span className="mono">{instance.your_ip}</span>
              <CopyButton value={instance.your_ip} label="Copy address" />
            </Group>
          ),
          hint: 'As forms see it. If this is the address of your proxy, name the proxy in TRUST_PROXY.',
        },
      ]}
    />
    {instance.processes !== null && <ProcessFacts processes={instance.processes} />}
    <Group gap="lg" px={4}>
      <OpsLink path="/docs">API reference</OpsLink>
      <OpsLink path="/healthz">Health check</OpsLink>
    </Group>
  </Stack>
);

export function InstancePage() {
  const instance = useInstance();
  return (
    <>
      <PageHead title="Instance">
        <Text size="sm" c="dimmed">
          The program that serves this dashboard and your forms.
        </Text>
      </PageHead>
      {instance.isPending && (
        <Stack gap="md" aria-hidden>
          <Skeleton h={210} />
          <Skeleton h={230} />
        </Stack>
      )}
      {instance.isLoadingError && (
        <ProblemState error={instance.error} retry={() => void instance.refetch()} />
      )}
      {instance.data !== undefined && <InstanceFacts instance={instance.data} />}
    </>
  );
}
