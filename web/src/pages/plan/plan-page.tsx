/** What the account may use, and how much of it is used. */
import { Badge, Box, Group, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAccount } from '../../queries.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { Facts } from '../../ui/facts.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import type { AccountFull } from '../../wire.js';
import { formatBytes, formatNumber, formatPercent } from '../../words/format.js';
import { nextPlan, planTitles, shareOf } from './plan-words.js';

const Included = ({ isIncluded }: { readonly isIncluded: boolean }) => (
  <Group gap={8} wrap="nowrap">
    {isIncluded ? <IconCheck aria-hidden /> : <IconMinus color="var(--mantine-color-dimmed)" aria-hidden />}
    <Text span size="sm" c={isIncluded ? 'var(--mantine-color-text)' : 'dimmed'}>
      {isIncluded ? 'Included' : 'Not included'}
    </Text>
  </Group>
);

function Figure({ label, children, share }: { label: string; children: ReactNode; share?: number | null }) {
  return (
    <Box className="panel" p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={22} fw={600} lh={1.35}>
        {children}
      </Text>
      {share !== undefined && share !== null && (
        <Progress
          value={share}
          size="sm"
          mt={8}
          aria-label={`${label}: ${formatPercent(share / 100)} of the plan used`}
        />
      )}
    </Box>
  );
}

function Upgrade({ plan }: Pick<AccountFull, 'plan'>) {
  const next = nextPlan[plan];
  if (next === null) {
    return (
      <Text size="sm" c="dimmed">
        This is the largest plan: nothing is held back.
      </Text>
    );
  }
  return (
    <Box component="section" className="panel" p="md">
      <Title order={2} mb={4}>
        {planTitles[next.plan]} adds {next.adds}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        The operator of this instance changes the plan with this command. It takes effect within seconds.
      </Text>
      <CodeBlock
        language="bash"
        label="Command that changes the plan"
        code={`inlet accounts set-plan --plan ${next.plan}`}
      />
    </Box>
  );
}

function PlanFacts({ account }: { readonly account: AccountFull }) {
  const { limits, usage, plan } = account;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
        <Figure label="Projects" share={shareOf(usage.projects, limits.projects)}>
          {formatNumber(usage.projects)}
          <Text span size="sm" c="dimmed" fw={400}>
            {limits.projects === null ? ' of unlimited' : ` of ${formatNumber(limits.projects)}`}
          </Text>
        </Figure>
        <Figure label="Forms">{formatNumber(usage.forms)}</Figure>
        <Figure label="Submissions">{formatNumber(usage.submissions)}</Figure>
      </SimpleGrid>
      <Facts
        title="What the plan allows"
        facts={[
          { name: 'File uploads', value: <Included isIncluded={limits.file_uploads} /> },
          {
            name: 'Image transformation',
            value: <Included isIncluded={limits.image_transformation} />,
            hint: 'Uploaded pictures in any size and format.',
          },
          { name: 'Largest file', value: formatBytes(limits.max_file_bytes) },
          { name: 'Files in a submission', value: formatNumber(limits.max_files) },
          { name: 'Largest submission', value: formatBytes(limits.max_body_bytes) },
        ]}
      />
      <Upgrade plan={plan} />
    </Stack>
  );
}

export function PlanPage() {
  const account = useAccount();
  const plan = account.data?.plan;
  return (
    <>
      <PageHead title="Plan" aside={plan === undefined ? null : <Badge>{planTitles[plan] ?? plan}</Badge>} />
      {account.isLoadingError && <ProblemState error={account.error} retry={() => void account.refetch()} />}
      {account.isPending && (
        <Stack gap="md" aria-hidden>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
            <Skeleton h={96} />
            <Skeleton h={96} />
            <Skeleton h={96} />
          </SimpleGrid>
          <Skeleton h={270} />
        </Stack>
      )}
      {account.data !== undefined && <PlanFacts account={account.data} />}
    </>
  );
}
