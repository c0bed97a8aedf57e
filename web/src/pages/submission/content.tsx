/** The submitted fields and files, on the submission's page and in the pane beside the list. */
import { Group, SegmentedControl, Stack, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useInboxActions } from '../../inbox/actions.js';
import { previewOf } from '../../ui/bounded-text.js';
import { CopyButton } from '../../ui/copy-button.js';
import type { FormFull, Submission } from '../../wire.js';
import * as words from '../../words/submission.js';
import { fieldsOf, labelsOf } from '../submissions/columns.js';
import { FieldList, JsonText } from './field-list.js';
import { FileGrid } from './file-grid.js';

interface ContentProps {
  readonly submission: Submission;
  /** Undefined while loading. */
  readonly form: FormFull | undefined;
}

export function Content({ submission, form }: ContentProps) {
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
            <FieldList data={submission.data} labels={labelsOf(form ?? null)} />
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
          <FileGrid files={submission.files} projectId={submission.project_id} />
        </Stack>
      )}
    </Stack>
  );
}

/** As in the list: the most informative field that is filled in. */
export const titleOf = (submission: Submission): string =>
  fieldsOf([submission])
    .map((field) => previewOf(submission.data[field], 80))
    .find((text) => text !== '') ?? words.submission;

/** Marks a submission as read on open, but only once: marking it as unread afterwards must last. */
export function useReading(submission: Submission | undefined): void {
  const { open } = useInboxActions();
  const readId = useRef<string | null>(null);
  useEffect(() => {
    if (submission === undefined || readId.current === submission.id) return;
    readId.current = submission.id;
    if (submission.is_read === false) void open(submission);
  }, [submission, open]);
}
