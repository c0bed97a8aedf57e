/** Confirms an irreversible action: the user must type the name. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { wordsOf } from '../api.js';
import * as common from '../words/common.js';
import * as words from '../words/controls.js';
import { shownCharacters } from './hidden-characters.js';
import { Untrusted } from './untrusted.js';

interface ConfirmByTypingProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will be lost. */
  readonly children: ReactNode;
  /** The text to type: the object's name. */
  readonly phrase: string;
  /** The button's verb: "Delete form". */
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
}

export function ConfirmByTyping(props: ConfirmByTypingProps) {
  const { opened, onClose, title, children, phrase, action, onConfirm } = props;
  const [typed, setTyped] = useState('');
  const [isWorking, setWorking] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  // Leading, trailing and double spaces are invisible, so they need not match.
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
  // Invisible characters need not be typed either: their displayed form is accepted.
  const isRight = [phrase, shownCharacters(phrase)].map(plain).includes(plain(typed));
  const close = () => {
    setTyped('');
    setFault(null);
    onClose();
  };
  const confirm = async () => {
    setWorking(true);
    setFault(null);
    try {
      await onConfirm();
      close();
    } catch (error) {
      setFault(wordsOf(error));
    } finally {
      setWorking(false);
    }
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isRight) void confirm();
        }}
      >
        <Stack gap="md">
          <Text size="sm">{children}</Text>
          <TextInput
            label={words.typeToConfirm(
              <span className="mono">
                <Untrusted>{phrase}</Untrusted>
              </span>,
            )}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={fault}
            autoComplete="off"
            data-autofocus
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {common.cancel}
            </Button>
            <Button type="submit" color="red" disabled={!isRight} loading={isWorking}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
