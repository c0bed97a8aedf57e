/** A submission: its fields, its metadata and its deliveries. */
import { Grid, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { goBackTo } from '../../navigation.js';
import { useForm, useProject, useSubmission } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { CopyButton } from '../../ui/copy-button.js';
import { useKeys } from '../../ui/keyboard.js';
import type { PageProps } from '../../ui/lazy-part.js';
import { LoadingFields, LoadingPage } from '../../ui/loading.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submission.js';
import { askToDelete } from '../submissions/delete-submissions.js';
import { useForgetSubmissions } from '../submissions/submission-list-query.js';
import { recallWay } from '../submissions/way.js';
import { Content, titleOf, useReading } from './content.js';
import { DeliveryTimeline } from './delivery-timeline.js';
import { useListInAddress, useSteps } from './list-steps.js';
import { Notes } from './notes.js';
import { Marks, Moves, Reply, StepButtons } from './submission-actions.js';

export function SubmissionPage({ params }: PageProps) {
  const id = params.id ?? '';
  const submission = useSubmission(id);
  const form = useForm(submission.data?.form_id ?? '');
  const project = useProject(submission.data?.project_id ?? '');
  const [way] = useState(recallWay);
  useListInAddress(way, submission.data);
  useReading(submission.data);
  const forget = useForgetSubmissions();
  const back = way?.back ?? (submission.data ? `/forms/${submission.data.form_id}` : '/');
  const steps = useSteps(submission.data, () => goBackTo(back));
  const askDelete = () =>
    askToDelete({
      ids: [id],
      onDeleted: (ids) => {
        steps.goOn();
        forget(ids);
      },
    });
  useKeys({ Escape: () => goBackTo(back) });
  if (submission.isPending)
    return (
      <LoadingPage>
        <LoadingFields fields={6} />
      </LoadingPage>
    );
  if (submission.isLoadingError)
    return (
      <ProblemState
        error={submission.error}
        retry={() => goBackTo(back)}
        retryLabel={way === null ? words.back : words.backTo(beginning(way.label, 60))}
      />
    );
  const { form_id, project_id } = submission.data;
  const isFormList = way?.list?.owner.formId === form_id;
  return (
    <>
      <PageHead
        title={titleOf(submission.data)}
        trail={[
          { label: common.projects, to: '/projects' },
          { label: project.data?.name ?? '…', to: `/projects/${project_id}` },
          { label: form.data?.name ?? '…', to: isFormList ? back : `/forms/${form_id}` },
        ]}
        actions={
          <>
            <Reply submission={submission.data} formName={form.data?.name ?? ''} />
            <div className="page-moves icons-on-phone">
              <Moves submission={submission.data} onMoved={steps.goOn} onDelete={askDelete} />
            </div>
            <StepButtons {...steps} />
          </>
        }
      >
        <Marks key={id} submission={submission.data} hasKeys />
      </PageHead>
      <Grid gap={{ base: 'lg', lg: 40 }} key={id}>
        <Grid.Col span={{ base: 12, lg: 7.5 }}>
          <Stack gap="lg">
            <Content submission={submission.data} form={form.data} />
            <Notes submission={submission.data} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4.5 }}>
          <DeliveryTimeline submission={submission.data} />
          <Group gap={4} mt="lg">
            <Text size="sm" c="dimmed" className="mono">
              {id}
            </Text>
            <CopyButton value={id} label={words.copyId} />
          </Group>
        </Grid.Col>
      </Grid>
    </>
  );
}
