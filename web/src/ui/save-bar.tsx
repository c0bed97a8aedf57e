/** One per settings page: shows that there are unsaved changes, and saves or discards them. */
import { Button, Group, Text } from '@mantine/core';
import * as common from '../words/common.js';
import * as words from '../words/settings-page.js';

interface SaveBarProps {
  /** The id of the form that it saves. */
  readonly formId: string;
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  /** Why the last save failed. */
  readonly failure: string | null;
  readonly onDiscard: () => void;
}

/** The message when the reasons are shown at the fields. */
export const checkFields = words.checkFields;

export function SaveBar({ formId, isChanged, isSaving, failure, onDiscard }: SaveBarProps) {
  if (!isChanged) return null;
  return (
    <Group component="section" aria-label={words.unsavedChanges} gap="xs" className="save-bar">
      <Button type="submit" form={formId} loading={isSaving}>
        {common.save}
      </Button>
      <Button variant="subtle" color="gray" disabled={isSaving} onClick={onDiscard}>
        {common.discardChanges}
      </Button>
      {failure === null ? (
        <Text size="sm" c="dimmed" role="status">
          {words.unsavedChangesHint}
        </Text>
      ) : (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {failure}
        </Text>
      )}
    </Group>
  );
}
