/** The snippet, and the line that waits for what it sends. */
import { Alert, Anchor, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, wordsOf } from '../../api.js';
import { useCoalesced, useLive } from '../../live.js';
import { invalidateCounts, keys, usePatchForm } from '../../queries.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { FormFull, SubmissionPage } from '../../wire.js';
import * as words from '../../words/first-run.js';
import { sendTestSubmission } from '../form/send-test-submission.js';
import { SnippetChoice } from '../form/snippet-choice.js';

export function useFirstSubmission(formId: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: [...keys.submissions, 'first', formId],
    queryFn: async ({ signal }) => {
      const page = await api.get<SubmissionPage>(`/forms/${formId}/submissions`, { limit: 1 }, signal);
      // The counts beside the form are from before.
      if (page.data.length > 0) void client.invalidateQueries({ queryKey: keys.projects });
      return page.data[0] ?? null;
    },
    enabled: formId !== '',
    refetchInterval: ({ state }) => (state.data ? false : 2_000),
  });
}

/** A form that was made on this machine is in sandbox mode, because a live one takes nothing from localhost. */
function SandboxHint({ form }: { readonly form: FormFull }) {
  const patch = usePatchForm(form.id);
  if (form.validation_mode === 'live') return null;
  return (
    <Text size="sm" c="dimmed">
      {words.sandboxNotice(
        <Anchor
          component="button"
          type="button"
          inherit
          underline="always"
          onClick={() =>
            patch.mutate(
              { validation_mode: 'live' },
              {
                onSuccess: () => tellDone(words.live),
                onError: (error) => tellFailure(words.notLive, error),
              },
            )
          }
        >
          {words.switchToLive}
        </Anchor>,
      )}
    </Text>
  );
}

interface FirstSubmissionProps {
  readonly form: FormFull;
  readonly first: ReturnType<typeof useFirstSubmission>;
}

export function FirstSubmission({ form, first }: FirstSubmissionProps) {
  const client = useQueryClient();
  // Somebody who tries their page again and again sees the count beside the form go up.
  const recount = useCoalesced(() => invalidateCounts(client, { projectId: form.project_id }));
  useLive({ formId: form.id }, { onSubmission: recount, onMissed: recount });
  const send = useMutation({
    mutationFn: () => sendTestSubmission(form.public_id),
    onSuccess: () => first.refetch(),
  });
  return (
    <Stack gap="md">
      <SnippetChoice formId={form.id} />
      <div aria-live="polite">
        {first.data ? (
          <Alert color="green" icon={<IconCheck size={20} />} title={words.arrived}>
            <Group justify="space-between" gap="sm">
              <Text size="sm">{words.arrivedAt(<RelativeTime iso={first.data.created_at} />)}</Text>
              <Button component={Link} href={`/forms/${form.id}`} size="xs">
                {words.seeIt}
              </Button>
            </Group>
          </Alert>
        ) : (
          <Group justify="space-between" gap="sm" className="field-box" py={8} pr={8}>
            <Group gap="sm" wrap="nowrap">
              <Loader size={16} type="dots" color="amber" />
              <Text size="sm">{words.waiting}</Text>
            </Group>
            <Button variant="default" size="xs" loading={send.isPending} onClick={() => send.mutate()}>
              {words.sendOne}
            </Button>
          </Group>
        )}
      </div>
      {send.isError && (
        <Alert color="red" role="alert" title={words.testRejected}>
          {wordsOf(send.error)}
        </Alert>
      )}
      <SandboxHint form={form} />
    </Stack>
  );
}
