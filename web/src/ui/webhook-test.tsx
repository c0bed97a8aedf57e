/** A webhook URL with a button that sends a test event and shows the endpoint's response. */
import { Alert, Box, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api.js';
import type { WebhookTestResult } from '../wire.js';
import { formatDuration } from '../words/format.js';
import * as words from '../words/webhook.js';
import { RelativeTime } from './relative-time.js';
import { failureWords } from './settings-section.js';
import { meanings } from './state-badge.js';
import { Untrusted } from './untrusted.js';

const outcomeWords = ({ status, duration_ms, error }: WebhookTestResult): string => {
  const duration = formatDuration(duration_ms);
  // Errors start with a class name, which is meant for programs.
  return status === null
    ? words.noResponse(duration, (error ?? words.unknownCause).replace(/^[a-z_]+: /, ''))
    : words.returned(status, duration);
};

interface WebhookFieldProps {
  /** `/forms/{id}` or `/projects/{id}`. */
  readonly path: string;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly description: string;
  readonly error?: ReactNode;
}

export function WebhookField({ path, value, onChange, description, error }: WebhookFieldProps) {
  const test = useMutation({
    mutationFn: (url: string) => api.post<WebhookTestResult>(`${path}/webhook-test`, { url }),
  });
  // The result is stale once the URL has been changed.
  const isCurrent = test.variables === value;
  const outcome = test.data && meanings[test.data.delivered ? 'delivered' : 'failed'];
  return (
    <Stack gap="xs">
      <TextInput
        type="url"
        label={words.webhookUrl}
        description={description}
        placeholder="https://example.com/hooks/inlet"
        value={value ?? ''}
        onChange={(event) => onChange(event.currentTarget.value.trim() || null)}
        error={error}
        spellCheck={false}
        // The button goes beside the input, above its error message.
        inputContainer={(field) => (
          <Group gap="xs" wrap="nowrap">
            <Box flex={1}>{field}</Box>
            <Button
              variant="default"
              disabled={value === null}
              loading={test.isPending}
              onClick={() => value !== null && test.mutate(value)}
            >
              {words.sendTest}
            </Button>
          </Group>
        )}
      />
      {isCurrent && test.isError && (
        <Alert color="red" role="alert" title={words.testFailed}>
          {failureWords(test.error)}
        </Alert>
      )}
      {isCurrent && test.data && outcome && (
        <Alert color={outcome.color} role="status" icon={<outcome.icon size={18} />} title={outcome.word}>
          <Text size="sm">
            <Untrusted>{outcomeWords(test.data)}</Untrusted>
          </Text>
          <Text size="xs" c="dimmed">
            {words.testedAt(<RelativeTime iso={new Date(test.submittedAt).toISOString()} />)}
          </Text>
          {test.data.response !== null && test.data.response !== '' && (
            <Code block mt="xs" className="untrusted">
              {test.data.response}
            </Code>
          )}
        </Alert>
      )}
    </Stack>
  );
}
