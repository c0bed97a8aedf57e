/** The last undoable change: offered in a message for some seconds, and by the key `z` as long as the page is open. */
import { Button, Group, Kbd, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import * as words from '../words/shell.js';

/** Long enough to read the message, find the button and press it. */
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

/** Undoes the last change, once. Returns the ids of the restored submissions. */
export function undoLast(): readonly string[] {
  const undoable = last;
  forget();
  void undoable?.takeBack();
  return undoable?.ids ?? [];
}

/** `said`: what was done, such as "Moved to trash"; null when the effect is visible in place, such as a star. */
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
