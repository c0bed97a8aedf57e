/** One for each page of settings: says that something is not saved, saves it, or goes back to what was. */
import { Button, Group, Text } from '@mantine/core';

interface SaveBarProps {
  /** The id of the form that it saves. */
  readonly formId: string;
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  /** Why the last attempt failed. */
  readonly failure: string | null;
  readonly onDiscard: () => void;
}

/** What is said where the reason stands at the fields. */
export const checkFields = 'Not saved. Check the marked fields.';

export function SaveBar({ formId, isChanged, isSaving, failure, onDiscard }: SaveBarProps) {
  if (!isChanged) return null;
  return (
    <Group component="section" aria-label="Unsaved changes" gap="xs" className="save-bar">
      <Button type="submit" form={formId} loading={isSaving}>
        Save
      </Button>
      <Button variant="subtle" color="gray" disabled={isSaving} onClick={onDiscard}>
        Discard changes
      </Button>
      {failure === null ? (
        <Text size="sm" c="dimmed" role="status">
          You have unsaved changes.
        </Text>
      ) : (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {failure}
        </Text>
      )}
    </Group>
  );
}
