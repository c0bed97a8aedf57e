/** A secret, hidden until revealed, so that it is not exposed to onlookers or in screenshots. */
import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import * as words from '../words/controls.js';
import { CopyButton } from './copy-button.js';

export function SecretText({ value, label }: { readonly value: string; readonly label: string }) {
  const [isShown, setShown] = useState(false);
  const action = isShown ? words.hideSecret(label) : words.showSecret(label);
  return (
    <Group gap={4} wrap="nowrap" className="field-box">
      <Text size="sm" className="mono line-clamp" style={{ flex: 1 }} aria-label={label}>
        {isShown ? value : '•'.repeat(24)}
      </Text>
      <Tooltip label={action}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={action}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <IconEyeOff /> : <IconEye />}
        </ActionIcon>
      </Tooltip>
      <CopyButton value={value} label={words.copySecret(label)} />
    </Group>
  );
}
