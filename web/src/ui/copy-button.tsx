/** Copies a text, and says that it did. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';

interface CopyButtonProps {
  readonly value: string;
  /** What is copied, for the tooltip: "Copy endpoint". */
  readonly label: string;
  /** With words instead of an icon alone. */
  readonly withWords?: boolean;
}

export function CopyButton({ value, label, withWords = false }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 1500 });
  useEffect(() => {
    // Over plain HTTP, other than on this machine, browsers refuse.
    if (clipboard.error !== null)
      notifications.show({
        color: 'red',
        message: 'The browser does not allow copying here. Select the text instead.',
      });
  }, [clipboard.error]);
  const icon = clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} stroke={1.6} />;
  const words = clipboard.copied ? 'Copied' : label;
  if (withWords) {
    return (
      <Button variant="default" size="xs" leftSection={icon} onClick={() => clipboard.copy(value)}>
        {words}
      </Button>
    );
  }
  return (
    <Tooltip label={words}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={words}
        onClick={() => clipboard.copy(value)}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
