/** Asks before unsaved input or work in progress is lost. */
import { Button, Group, Modal, Text } from '@mantine/core';
import { type LeaveQuestion, useLeaving } from '../navigation.js';
import * as common from '../words/common.js';
import * as words from '../words/shell.js';

const unsavedChanges: LeaveQuestion = {
  title: words.discardUnsaved,
  text: words.notSavedYet,
  leave: common.discardChanges,
};

export function LeavePrompt() {
  const { asked, stay, leave } = useLeaving();
  const question = asked?.question ?? unsavedChanges;
  return (
    <Modal opened={asked !== null} onClose={stay} title={question.title}>
      <Text size="sm" mb="lg">
        {question.text}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={stay} data-autofocus>
          {words.stay}
        </Button>
        <Button color="red" onClick={leave}>
          {question.leave}
        </Button>
      </Group>
    </Modal>
  );
}
