/** Sends a test submission from here, before the form is on a page, and shows the result. */
import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { IconCheck, IconSend } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { wordsOf } from '../../api.js';
import { keys } from '../../queries.js';
import type { FormFull } from '../../wire.js';
import * as words from '../../words/form.js';
import { sendTestSubmission } from './send-test-submission.js';

export function TestSubmission({ form }: { readonly form: Pick<FormFull, 'id' | 'public_id'> }) {
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: () => sendTestSubmission(form.public_id),
    // A rejection is also counted and shown elsewhere.
    onSettled: () =>
      Promise.all(
        [keys.submissions, keys.projects, keys.stats, keys.rejections(form.id)].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
  return (
    <section aria-label={words.test}>
      <Group gap="sm" mb="sm">
        <Button
          variant="default"
          leftSection={<IconSend size={16} stroke={1.6} />}
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          {words.sendATestSubmission}
        </Button>
        <Text size="sm" c="dimmed" flex="1 1 16.25rem">
          {words.testHint}
        </Text>
      </Group>
      <div aria-live="polite">
        {send.isSuccess && (
          <Alert color="green" icon={<IconCheck size={20} />} title={words.testArrived}>
            <Anchor component={Link} href={`/submissions/${send.data}`} size="sm" underline="always">
              {words.openSubmission}
            </Anchor>
          </Alert>
        )}
        {send.isError && (
          <Alert color="red" title={words.testRejected}>
            {wordsOf(send.error)}
          </Alert>
        )}
      </div>
    </section>
  );
}
