/** Ready-made code with the form's endpoint, and a way to test the form without a page. */
import { Stack, Text } from '@mantine/core';
import * as words from '../../words/form.js';
import type { FormTabProps } from './form-tab.js';
import { SandboxHint } from './sandbox-hint.js';
import { SnippetChoice } from './snippet-choice.js';
import { TestSubmission } from './test-submission.js';

export const SnippetsTab = ({ form }: FormTabProps) => (
  <Stack gap="md" maw={860}>
    <Text size="sm" c="dimmed">
      {words.snippetsDescription}
    </Text>
    <SandboxHint form={form} />
    <SnippetChoice formId={form.id} />
    <TestSubmission form={form} />
  </Stack>
);
