/** Asks before unsaved input is lost. */
import { Button, Group, Modal, Text } from '@mantine/core';
import { useLeaving } from '../navigation.js';

export function LeavePrompt() {
  const { isAsked, stay, leave } = useLeaving();
  return (
    <Modal opened={isAsked} onClose={stay} title="Discard unsaved changes?">
      <Text size="sm" mb="lg">
        Your changes on this page are not saved yet.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={stay} data-autofocus>
          Stay on this page
        </Button>
        <Button color="red" onClick={leave}>
          Discard changes
        </Button>
      </Group>
    </Modal>
  );
}
