/** Asks before unsaved input is lost. */
import { Button, Group, Modal, Text } from '@mantine/core';
import { useLeaving } from '../navigation.js';
import * as common from '../words/common.js';
import * as words from '../words/shell.js';

export function LeavePrompt() {
  const { isAsked, stay, leave } = useLeaving();
  return (
    <Modal opened={isAsked} onClose={stay} title={words.discardUnsaved}>
      <Text size="sm" mb="lg">
        {words.notSavedYet}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={stay} data-autofocus>
          {words.stay}
        </Button>
        <Button color="red" onClick={leave}>
          {common.discardChanges}
        </Button>
      </Group>
    </Modal>
  );
}
