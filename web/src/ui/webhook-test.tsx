/** A webhook address with a button that sends a test event to it and says what the receiver answered. */
import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api.js';
import type { WebhookTestResult } from '../wire.js';
import { formatDuration } from './numbers.js';
import { failureWords } from './settings-section.js';
import { meanings } from './state-badge.js';
import { Untrusted } from './untrusted.js';

const answerWords = ({ delivered, status, duration_ms, error }: WebhookTestResult): string => {
  const took = `in ${formatDuration(duration_ms)}`;
  if (delivered) return `The receiver answered ${status} ${took}.`;
  // The class of the fault stands before its words, for programs.
  return status === null
    ? `No answer ${took}: ${(error ?? 'unknown cause').replace(/^[a-z_]+: /, '')}`
    : `The receiver answered ${status} ${took}.`;
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
  const outcome = test.data && meanings[test.data.delivered ? 'delivered' : 'failed'];
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          flex={1}
          type="url"
          label="Webhook URL"
          description={description}
          placeholder="https://example.com/hooks/inlet"
          value={value ?? ''}
          onChange={(event) => onChange(event.currentTarget.value.trim() || null)}
          error={error !== undefined && error !== null}
          spellCheck={false}
        />
        <Button
          variant="default"
          disabled={value === null}
          loading={test.isPending}
          onClick={() => value !== null && test.mutate(value)}
        >
          Send a test
        </Button>
      </Group>
      {error !== undefined && error !== null && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {test.isError && (
        <Alert color="red" role="alert" title="The test was not sent">
          {failureWords(test.error)}
        </Alert>
      )}
      {test.data && outcome && (
        <Alert color={outcome.color} role="status" icon={<outcome.icon size={18} />} title={outcome.word}>
          <Text size="sm">
            <Untrusted>{answerWords(test.data)}</Untrusted>
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
