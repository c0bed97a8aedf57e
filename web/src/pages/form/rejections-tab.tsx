/** Why requests to a form were rejected, and how to allow them. */
import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconDoorExit } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useProject, useRejections } from '../../queries.js';
import { DayChart, LoadingDayChart } from '../../ui/charts/day-chart.js';
import { DaysControl, usualDays } from '../../ui/days-control.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { ProblemState } from '../../ui/problem-state.js';
import * as words from '../../words/form.js';
import { ReasonPanel } from '../rejections/reason-panel.js';
import { foldExamples, reasonCounts, stackOf, withoutHoneypot } from '../rejections/reasons.js';
import type { FormTabProps } from './form-tab.js';

const chartHeight = 180;

export function RejectionsTab({ form }: FormTabProps) {
  const [days, setDays] = useState(usualDays);
  const report = useRejections(form.id, days);
  const project = useProject(form.project_id);
  if (report.isLoadingError) return <ProblemState error={report.error} retry={() => void report.refetch()} />;
  const head = (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed">
        {words.rejectedDescription(
          <Anchor component={Link} href={`/forms/${form.id}/quarantine`} inherit underline="always">
            {words.theQuarantine}
          </Anchor>,
        )}
      </Text>
      <DaysControl days={days} onDays={setDays} />
    </Group>
  );
  if (report.isPending) {
    return (
      <Stack gap="md">
        {head}
        <LoadingDayChart height={chartHeight} />
        <Skeleton h={120} />
      </Stack>
    );
  }
  const reported = withoutHoneypot(report.data.days);
  const counted = reasonCounts(reported);
  return (
    <Stack gap="md">
      {head}
      {counted.length === 0 ? (
        <NothingYet
          icon={<IconDoorExit size={28} stroke={1.5} />}
          title={words.noneRejected}
          document="guides/allowed-origins.md"
        >
          {words.noneRejectedHint(days)}
        </NothingYet>
      ) : (
        <>
          <DayChart
            title={words.rejected}
            {...stackOf(reported)}
            nothing={words.noneRejected}
            height={chartHeight}
          />
          {counted.map(({ reason, count }) => (
            <ReasonPanel
              key={reason}
              reason={reason}
              count={count}
              examples={foldExamples(report.data.examples, reason)}
              form={form}
              project={project.data}
            />
          ))}
        </>
      )}
    </Stack>
  );
}
