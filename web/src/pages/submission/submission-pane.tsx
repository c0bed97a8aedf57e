/** A submission beside its list on wide screens. The list handles the keys and selects the submission. */
import { ActionIcon, Group, Skeleton, Stack, Title, Tooltip } from '@mantine/core';
import { IconArrowsMaximize, IconX } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useForm, useSubmission } from '../../queries.js';
import { ProblemState } from '../../ui/problem-state.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Submission } from '../../wire.js';
import * as words from '../../words/submission.js';
import { askToDelete } from '../submissions/delete-submissions.js';
import { Content, titleOf, useReading } from './content.js';
import { DeliveryTimeline } from './delivery-timeline.js';
import { Notes } from './notes.js';
import { Marks, Moves, Reply } from './submission-actions.js';

interface SubmissionPaneProps {
  readonly id: string;
  /** Called before its page opens. */
  readonly onOpen: (submission: Submission) => void;
  readonly onClose: () => void;
  readonly onDeleted: (ids: readonly string[]) => void;
}

function Head({ submission, onOpen, onClose }: { readonly submission: Submission } & SubmissionPaneProps) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm" className="pane-head">
      <Title order={2} className="line-clamp">
        <Untrusted>{titleOf(submission)}</Untrusted>
      </Title>
      <Group gap={4} wrap="nowrap">
        <Tooltip label={words.openPageHint}>
          <ActionIcon
            component={Link}
            href={`/submissions/${submission.id}`}
            onClick={() => onOpen(submission)}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={words.openPage}
          >
            <IconArrowsMaximize size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={words.closePaneHint}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={words.closePane} onClick={onClose}>
            <IconX size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  );
}

export function SubmissionPane(props: SubmissionPaneProps) {
  const { id, onDeleted } = props;
  const submission = useSubmission(id);
  const form = useForm(submission.data?.form_id ?? '');
  useReading(submission.data);
  if (submission.isLoadingError)
    return <ProblemState error={submission.error} retry={props.onClose} retryLabel={words.closePane} />;
  if (submission.data === undefined)
    return (
      <Stack p="md" aria-busy="true">
        <Skeleton h={28} w="50%" />
        <Skeleton h={200} />
      </Stack>
    );
  return (
    <Stack gap="md" key={id}>
      <Head {...props} submission={submission.data} />
      <Group gap="xs">
        <Reply submission={submission.data} formName={form.data?.name ?? ''} />
        <Moves submission={submission.data} onDelete={() => askToDelete({ ids: [id], onDeleted })} />
      </Group>
      <Marks submission={submission.data} />
      <Content submission={submission.data} form={form.data} />
      <Notes submission={submission.data} />
      <DeliveryTimeline submission={submission.data} />
    </Stack>
  );
}
