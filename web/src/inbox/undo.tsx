/** The last change that can be taken back: offered in a message for some seconds, and by the key `z` for as long as the page lasts. */
import { Button, Group, Kbd, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import * as words from '../words/shell.js';

/** Long enough to read, find and press it. */
const shownMs = 10_000;

interface Undoable {
  readonly messageId: string | null;
  readonly takeBack: () => Promise<void>;
  readonly ids: readonly string[];
}

let last: Undoable | null = null;
let messages = 0;

function forget(): void {
  if (last?.messageId != null) notifications.hide(last.messageId);
  last = null;
}

/** Takes the last change back, once. Returns the ids of the submissions that are as before. */
export function undoLast(): readonly string[] {
  const undoable = last;
  forget();
  void undoable?.takeBack();
  return undoable?.ids ?? [];
}

/** `said`: what was done, such as "Moved to trash"; null for what everybody sees where they did it, such as a star. */
export function offerUndo(
  said: string | null,
  takeBack: () => Promise<void>,
  ids: readonly string[] = [],
): void {
  forget();
  messages += 1;
  const messageId = said === null ? null : `undo-${messages}`;
  last = { messageId, takeBack, ids };
  if (messageId === null) return;
  notifications.show({
    id: messageId,
    color: 'accent',
    autoClose: shownMs,
    message: (
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Text size="sm">{said}</Text>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={undoLast}
          flex="none"
          aria-keyshortcuts="z"
          rightSection={
            <Kbd size="xs" aria-hidden visibleFrom="sm">
              z
            </Kbd>
          }
        >
          {words.undo}
        </Button>
      </Group>
    ),
  });
}
