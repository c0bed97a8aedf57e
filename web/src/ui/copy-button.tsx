/** Copies text to the clipboard and confirms it. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import * as common from '../words/common.js';
import * as words from '../words/controls.js';

interface CopyButtonProps {
  /** A function when the text is large or there are many buttons: it runs on copy. */
  readonly value: string | (() => string);
  /** What is copied, for the tooltip: "Copy endpoint". */
  readonly label: string;
  /** Shows the label beside the icon. */
  readonly withWords?: boolean;
  /** One of many: uses the browser's title, because a tooltip costs more than the rest of the button. */
  readonly isOneOfMany?: boolean;
}

export const tellNotCopied = (): void => {
  notifications.show({ color: 'red', message: words.copyingNotAllowed });
};

export function CopyButton({ value, label, withWords = false, isOneOfMany = false }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 1500 });
  useEffect(() => {
    // Browsers refuse over plain HTTP, except on localhost.
    if (clipboard.error !== null) tellNotCopied();
  }, [clipboard.error]);
  const copy = () => clipboard.copy(typeof value === 'string' ? value : value());
  const icon = clipboard.copied ? <IconCheck /> : <IconCopy />;
  const shown = clipboard.copied ? common.copied : label;
  if (withWords) {
    return (
      <Button variant="default" size="xs" leftSection={icon} onClick={copy}>
        {shown}
      </Button>
    );
  }
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={shown}
      {...(isOneOfMany ? { title: shown } : {})}
      onClick={copy}
    >
      {icon}
    </ActionIcon>
  );
  return isOneOfMany ? button : <Tooltip label={shown}>{button}</Tooltip>;
}
