/** One submission: what was written, what came with it, and what became of it. */
import {
  ActionIcon,
  Button,
  Grid,
  Group,
  SegmentedControl,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconTrash } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
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
import { fieldsOf } from '../submissions/columns.js';
import { askToDelete } from '../submissions/delete-submissions.js';
import { useForgetSubmissions, useSubmissionList } from '../submissions/submission-list-query.js';
import { recallWay, type Way } from '../submissions/way.js';
import { DeliveryTimeline } from './delivery-timeline.js';
import { FieldList, JsonText } from './field-list.js';
import { FileGrid } from './file-grid.js';

/** The neighbours in the list that the person came from; at its end the next page is read ahead. */
function useNeighbours(way: Way | null, id: string) {
  const { query, rows } = useSubmissionList(way?.list?.owner ?? null, way?.list?.filter ?? {});
  const place = rows.findIndex((row) => row.id === id);
  const isNearEnd = place >= 0 && place >= rows.length - 2 && query.hasNextPage && !query.isFetching;
  const { fetchNextPage } = query;
  useEffect(() => {
    if (isNearEnd) void fetchNextPage();
  }, [isNearEnd, fetchNextPage]);
  return {
    previous: place > 0 ? (rows[place - 1]?.id ?? null) : null,
    next: place >= 0 ? (rows[place + 1]?.id ?? null) : null,
  };
}

function Content({ submission }: { readonly submission: Submission }) {
  const [view, setView] = useState('fields');
  return (
    <Stack gap="lg">
      <Stack gap="sm">
        <Group justify="space-between" mih={30}>
          <Title order={2}>Fields</Title>
          <Group gap="xs">
            {view === 'json' && (
              <CopyButton
                value={() => JSON.stringify(submission.data, null, 2)}
                label="Copy JSON"
                withWords
              />
            )}
            <SegmentedControl
              size="xs"
              value={view}
              onChange={setView}
              data={[
                { value: 'fields', label: 'Fields' },
                { value: 'json', label: 'JSON' },
              ]}
              aria-label="How the fields are shown"
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
          <Title order={2}>Files</Title>
          <FileGrid files={submission.files} />
        </Stack>
      )}
    </Stack>
  );
}

const titleOf = (submission: Submission): string => {
  const [first] = fieldsOf([submission]).map((field) => previewOf(submission.data[field], 80));
  return first || 'Submission';
};

export function SubmissionPage({ params }: PageProps) {
  const id = params.id ?? '';
  const [, navigate] = useLocation();
  const submission = useSubmission(id);
  const form = useForm(submission.data?.form_id ?? '');
  const project = useProject(submission.data?.project_id ?? '');
  const [way] = useState(recallWay);
  const { previous, next } = useNeighbours(way, id);
  const forget = useForgetSubmissions();
  const back = way?.back ?? (submission.data ? `/forms/${submission.data.form_id}` : '/');
  const go = (target: string | null) => {
    if (target !== null) navigate(`/submissions/${target}`, { replace: true });
  };
  const askDelete = () =>
    askToDelete({
      ids: [id],
      onDeleted: (ids) => {
        if (next === null) goBackTo(back);
        else go(next);
        forget(ids);
      },
    });
  useKeys({
    j: () => go(next),
    k: () => go(previous),
    ArrowRight: () => go(next),
    ArrowLeft: () => go(previous),
    Escape: () => goBackTo(back),
  });
  if (submission.isPending) return <LoadingPage />;
  if (submission.isLoadingError)
    return (
      <ProblemState
        error={submission.error}
        retry={() => goBackTo(back)}
        retryLabel={way === null ? 'Back' : `Back to ${beginning(way.label, 60)}`}
      />
    );
  return (
    <>
      <PageHead
        title={titleOf(submission.data)}
        trail={[
          { label: project.data?.name ?? '…', to: `/projects/${submission.data.project_id}` },
          {
            label: form.data?.name ?? '…',
            to: way?.list && 'formId' in way.list.owner ? back : `/forms/${submission.data.form_id}`,
          },
        ]}
        actions={
          <>
            <Tooltip label="Newer (k)">
              <ActionIcon
                variant="default"
                size={36}
                aria-label="Newer submission"
                disabled={previous === null}
                onClick={() => go(previous)}
              >
                <IconChevronLeft size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
            <Tooltip label="Older (j)">
              <ActionIcon
                variant="default"
                size={36}
                aria-label="Older submission"
                disabled={next === null}
                onClick={() => go(next)}
              >
                <IconChevronRight size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
            <Button variant="default" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={askDelete}>
              Delete
            </Button>
          </>
        }
      >
        <Group gap={6}>
          <Text size="sm" c="dimmed" className="mono">
            {id}
          </Text>
          <CopyButton value={id} label="Copy id" />
        </Group>
      </PageHead>
      <Grid gap={{ base: 'lg', lg: 40 }} key={id}>
        <Grid.Col span={{ base: 12, lg: 7.5 }}>
          <Content submission={submission.data} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4.5 }}>
          <DeliveryTimeline submission={submission.data} />
        </Grid.Col>
      </Grid>
    </>
  );
}
