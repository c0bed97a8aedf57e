/** Ready code for a page, with the real address in it. */
import { Text } from '@mantine/core';
import type { FormTabProps } from './form-page.js';
import { SnippetChoice } from './snippet-choice.js';

export const SnippetsTab = ({ form }: FormTabProps) => (
  <div style={{ maxWidth: 860 }}>
    <Text size="sm" c="dimmed" mb="md">
      Copy one of these into your page and change its fields as you like: whatever a form sends is kept,
      nothing has to be declared here.
    </Text>
    <SnippetChoice formId={form.id} />
  </div>
);
