/** The account's limits and its usage. */
import { Badge, Box, Group, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAccount } from '../../queries.js';
import { CodeBlock } from '../../ui/code/code-block.js';
import { Facts } from '../../ui/facts.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import type { AccountFull } from '../../wire.js';
import * as common from '../../words/common.js';
import { formatBytes, formatNumber } from '../../words/format.js';
import * as words from '../../words/plan.js';
import { nextPlan, planTitles, shareOf } from './plan-words.js';

const Included = ({ isIncluded }: { readonly isIncluded: boolean }) => (
  <Group gap={8} wrap="nowrap">
    {isIncluded ? <IconCheck aria-hidden /> : <IconMinus color="var(--mantine-color-dimmed)" aria-hidden />}
    <Text span size="sm" c={isIncluded ? 'var(--mantine-color-text)' : 'dimmed'}>
      {isIncluded ? words.included : words.notIncluded}
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
        <Progress value={share} size="sm" mt={8} aria-label={words.shareUsed(label, share / 100)} />
      )}
    </Box>
  );
}

function Upgrade({ plan }: Pick<AccountFull, 'plan'>) {
  const next = nextPlan[plan];
  if (next === null) {
    return (
      <Text size="sm" c="dimmed">
        {words.largestPlan}
      </Text>
    );
  }
  return (
    <Box component="section" className="panel" p="md">
      <Title order={2} mb={4}>
        {words.nextPlanAdds(planTitles[next.plan], next.adds)}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {words.changePlanDescription}
      </Text>
      <CodeBlock
        language="bash"
        label={words.changePlanCommand}
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
        <Figure label={common.projects} share={shareOf(usage.projects, limits.projects)}>
          {formatNumber(usage.projects)}
          <Text span size="sm" c="dimmed" fw={400}>
            {' '}
            {limits.projects === null ? words.ofUnlimited : words.ofLimit(limits.projects)}
          </Text>
        </Figure>
        <Figure label={common.forms}>{formatNumber(usage.forms)}</Figure>
        <Figure label={common.submissions}>{formatNumber(usage.submissions)}</Figure>
      </SimpleGrid>
      <Facts
        title={words.whatThePlanAllows}
        facts={[
          { name: words.fileUploads, value: <Included isIncluded={limits.file_uploads} /> },
          {
            name: words.imageTransformation,
            value: <Included isIncluded={limits.image_transformation} />,
            hint: words.imageTransformationHint,
          },
          { name: words.largestFile, value: formatBytes(limits.max_file_bytes) },
          { name: words.filesInASubmission, value: formatNumber(limits.max_files) },
          { name: words.largestSubmission, value: formatBytes(limits.max_body_bytes) },
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
      <PageHead
        title={words.plan}
        aside={plan === undefined ? null : <Badge>{planTitles[plan] ?? plan}</Badge>}
      />
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
