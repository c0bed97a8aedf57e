/** Copies a text, and says that it did. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import * as common from '../words/common.js';
import * as words from '../words/controls.js';

interface CopyButtonProps {
  /** A function where the text is large or there are many: it is made when somebody copies. */
  readonly value: string | (() => string);
  /** What is copied, for the tooltip: "Copy endpoint". */
  readonly label: string;
  /** With words instead of an icon alone. */
  readonly withWords?: boolean;
  /** One of many: the browser's own title instead of a tooltip, which costs more than all else of the button. */
  readonly isOneOfMany?: boolean;
}

export function CopyButton({ value, label, withWords = false, isOneOfMany = false }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 1500 });
  useEffect(() => {
    // Over plain HTTP, other than on this machine, browsers refuse.
    if (clipboard.error !== null)
      notifications.show({
        color: 'red',
        message: words.copyingNotAllowed,
      });
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
