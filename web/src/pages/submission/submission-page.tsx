/** One submission: what was written, what came with it, and what became of it. */
import { Grid, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useInboxActions } from '../../inbox/actions.js';
import { goBackTo } from '../../navigation.js';
import { useForm, useProject, useSubmission } from '../../queries.js';
import { beginning, previewOf } from '../../ui/bounded-text.js';
import { CopyButton } from '../../ui/copy-button.js';
import { useKeys } from '../../ui/keyboard.js';
import type { PageProps } from '../../ui/lazy-part.js';
import { LoadingPage } from '../../ui/loading.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import type { Submission } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submission.js';
import { fieldsOf } from '../submissions/columns.js';
import { askToDelete } from '../submissions/delete-submissions.js';
import { useForgetSubmissions } from '../submissions/submission-list-query.js';
import { recallWay } from '../submissions/way.js';
import { DeliveryTimeline } from './delivery-timeline.js';
import { FieldList, JsonText } from './field-list.js';
import { FileGrid } from './file-grid.js';
import { useListInAddress, useSteps } from './list-steps.js';
import { Notes } from './notes.js';
import { Marks, Moves, Reply, StepButtons } from './submission-actions.js';

function Content({ submission }: { readonly submission: Submission }) {
  const [view, setView] = useState('fields');
  return (
    <Stack gap="lg">
      <Stack gap="sm">
        <Group justify="space-between" mih={30}>
          <Title order={2}>{words.fields}</Title>
          <Group gap="xs">
            {view === 'json' && (
              <CopyButton
                value={() => JSON.stringify(submission.data, null, 2)}
                label={words.copyJson}
                withWords
              />
            )}
            <SegmentedControl
              size="xs"
              value={view}
              onChange={setView}
              data={[
                { value: 'fields', label: words.fields },
                { value: 'json', label: 'JSON' },
              ]}
              aria-label={words.fieldsView}
            />
          </Group>
        </Group>
        <div className="panel">
          {view === 'fields' ? (
            <FieldList data={submission.data} />
          ) : (
            <Stack p="md" gap={0} fz={13} lh={1.55}>
              <JsonText value={submission.data} />
            </Stack>
          )}
        </div>
      </Stack>
      {submission.files.length > 0 && (
        <Stack gap="sm">
          <Title order={2}>{words.files}</Title>
          <FileGrid files={submission.files} />
        </Stack>
      )}
    </Stack>
  );
}

/** As in the list: the most telling field that was filled in. */
const titleOf = (submission: Submission): string =>
  fieldsOf([submission])
    .map((field) => previewOf(submission.data[field], 80))
    .find((text) => text !== '') ?? words.submission;

/** Opening it reads it, once: who marks it as unread means to come back to it. */
function useReading(submission: Submission | undefined): void {
  const { open } = useInboxActions();
  const readId = useRef<string | null>(null);
  useEffect(() => {
    if (submission === undefined || readId.current === submission.id) return;
    readId.current = submission.id;
    if (submission.is_read === false) void open(submission.id);
  }, [submission, open]);
}

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
  if (submission.isPending) return <LoadingPage />;
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
        <Marks key={id} submission={submission.data} />
      </PageHead>
      <Grid gap={{ base: 'lg', lg: 40 }} key={id}>
        <Grid.Col span={{ base: 12, lg: 7.5 }}>
          <Stack gap="lg">
            <Content submission={submission.data} />
            <Notes submissionId={id} />
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
