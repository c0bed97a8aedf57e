/** The snippet, and the line that waits for its submission. */
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, wordsOf } from '../../api.js';
import { useCoalesced, useLive } from '../../live.js';
import { invalidateCounts, keys } from '../../queries.js';
import { RelativeTime } from '../../ui/relative-time.js';
import type { FormFull, Rejections, SubmissionPage } from '../../wire.js';
import * as words from '../../words/first-run.js';
import { SandboxHint } from '../form/sandbox-hint.js';
import { sendTestSubmission } from '../form/send-test-submission.js';
import { SnippetChoice } from '../form/snippet-choice.js';
import { reasonWords } from '../rejections/reasons.js';

const lookMs = 2_000;

export function useFirstSubmission(formId: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: [...keys.submissions, 'first', formId],
    queryFn: async ({ signal }) => {
      const page = await api.get<SubmissionPage>(`/forms/${formId}/submissions`, { limit: 1 }, signal);
      // The counts shown beside the form are stale.
      if (page.data.length > 0) void client.invalidateQueries({ queryKey: keys.projects });
      return page.data[0] ?? null;
    },
    enabled: formId !== '',
    refetchInterval: ({ state }) => (state.data ? false : lookMs),
  });
}

/** The reason for the form's latest rejected or quarantined submission. */
function useKeptOut(formId: string, isWanted: boolean): string | null {
  const report = useQuery({
    queryKey: [...keys.rejections(formId), 'first'],
    // Two days, in case the user starts before midnight.
    queryFn: ({ signal }) => api.get<Rejections>(`/forms/${formId}/rejections`, { days: 2 }, signal),
    enabled: isWanted,
    refetchInterval: lookMs,
  });
  const examples = report.data?.examples ?? [];
  return [...examples].sort((one, other) => (one.at < other.at ? 1 : -1))[0]?.reason ?? null;
}

/** Explains a rejected or quarantined submission, so that the user does not wait for one that already came. */
function KeptOut({ formId, reason }: { readonly formId: string; readonly reason: string }) {
  const isQuarantined = reason === 'honeypot';
  const { title, why } = reasonWords(reason);
  return (
    <Alert
      color={isQuarantined ? 'violet' : 'amber'}
      icon={<IconAlertTriangle size={20} />}
      title={isQuarantined ? words.quarantined : words.rejected(title)}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">{isQuarantined ? words.quarantinedWhy : why}</Text>
        <Button
          component={Link}
          href={`/forms/${formId}/${isQuarantined ? 'quarantine' : 'rejections'}`}
          variant="default"
          size="xs"
        >
          {isQuarantined ? words.openQuarantine : words.seeWhy}
        </Button>
      </Group>
    </Alert>
  );
}

interface FirstSubmissionProps {
  readonly form: FormFull;
  readonly first: ReturnType<typeof useFirstSubmission>;
}

export function FirstSubmission({ form, first }: FirstSubmissionProps) {
  const client = useQueryClient();
  // Repeated test submissions update the count beside the form.
  const recount = useCoalesced(() => invalidateCounts(client, { projectId: form.project_id }));
  useLive({ formId: form.id }, { onSubmission: recount, onMissed: recount });
  const keptOut = useKeptOut(form.id, !first.data);
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
          <Stack gap="sm">
            {keptOut !== null && <KeptOut formId={form.id} reason={keptOut} />}
            <Group justify="space-between" gap="sm" className="field-box" py={8} pr={8}>
              <Group gap="sm" wrap="nowrap">
                <Loader size={16} type="dots" color="amber" />
                <Text size="sm">{words.waiting}</Text>
              </Group>
              <Button variant="default" size="xs" loading={send.isPending} onClick={() => send.mutate()}>
                {words.sendOne}
              </Button>
            </Group>
          </Stack>
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
