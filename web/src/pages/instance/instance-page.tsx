/** The server behind this page: its health, its uptime, and how it sees your requests. */
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
import * as common from '../../words/common.js';
import * as words from '../../words/instance.js';
import * as states from '../../words/states.js';
import { type Check, checksOf } from './checks.js';

const shapes = {
  good: { icon: IconCheck, color: 'var(--state-delivered)', word: words.stateGood },
  waiting: { icon: IconClock, color: 'var(--state-waiting)', word: states.waiting },
  bad: { icon: IconX, color: 'var(--state-failed)', word: words.stateBad },
  off: { icon: IconMinus, color: 'var(--mantine-color-dimmed)', word: words.stateOff },
} as const;

function CheckValue({ state, words: said }: Pick<Check, 'state' | 'words'>) {
  const { icon: Icon, color, word } = shapes[state];
  return (
    <Group gap={8} wrap="nowrap" align="center">
      <Icon color={color} role="img" aria-label={word} />
      <span>
        {state !== 'good' && state !== 'off' && <b>{word}: </b>}
        {said}
      </span>
    </Group>
  );
}

const OpsLink = ({ path, children }: { readonly path: string; readonly children: string }) => (
  <Anchor href={`${instancePath}${path}`} target="_blank" rel="noopener" size="sm">
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      {children}
      <IconExternalLink aria-label={words.opensANewWindow} />
    </Group>
  </Anchor>
);

const roles = {
  all: words.roleAll,
  api: words.roleApi,
  worker: words.roleWorker,
} as const;

const ProcessFacts = ({ processes }: { readonly processes: NonNullable<Instance['processes']> }) => (
  <Facts
    title={words.processes}
    facts={processes.map(({ role, host, pid, version, started_at, seen_at }) => ({
      name: roles[role],
      id: `${host} ${pid}`,
      value: (
        <>
          {words.processIs(
            <span className="mono">{host}</span>,
            <span className="mono">{pid}</span>,
            <span className="mono">{version}</span>,
          )}
        </>
      ),
      hint: <>{words.processTimes(<RelativeTime iso={started_at} />, <RelativeTime iso={seen_at} />)}</>,
    }))}
  />
);

const InstanceFacts = ({ instance }: { readonly instance: Instance }) => (
  <Stack gap="md">
    <Facts
      title={words.state}
      facts={checksOf(instance).map(({ name, hint, ...check }) => ({
        name,
        value: <CheckValue {...check} />,
        ...(hint === undefined ? {} : { hint }),
      }))}
    />
    <Facts
      title={words.thisProgram}
      facts={[
        { name: words.version, value: <span className="mono">{instance.version}</span> },
        { name: 'Node.js', value: <span className="mono">{instance.node}</span> },
        {
          name: words.started,
          value: (
            <>{words.runningFor(<RelativeTime iso={instance.started_at} />, instance.uptime_s * 1000)}</>
          ),
        },
        {
          name: words.yourAddress,
          value: (
            <Group gap={4} wrap="nowrap">
              <span className="mono">{instance.your_ip}</span>
              <CopyButton value={instance.your_ip} label={words.copyAddress} />
            </Group>
          ),
          hint: words.copyAddressHint,
        },
      ]}
    />
    {instance.processes !== null && <ProcessFacts processes={instance.processes} />}
    <Group gap="lg">
      <OpsLink path="/docs/">{common.documentation}</OpsLink>
      <OpsLink path="/healthz">{words.healthCheck}</OpsLink>
    </Group>
  </Stack>
);

export function InstancePage() {
  const instance = useInstance();
  return (
    <>
      <PageHead title={words.instance}>
        <Text size="sm" c="dimmed">
          {words.pageDescription}
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
