/** Recovery codes, shown once. */
import { Alert, Button, Group, Stack } from '@mantine/core';
import { CodeBlock } from '../../ui/code/code-block.js';
import * as words from '../../words/your-account.js';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

export const RecoveryCodes = ({ codes, onDone }: RecoveryCodesProps) => (
  <Stack gap="md">
    <Alert color="yellow" variant="light">
      {words.recoveryCodesHint}
    </Alert>
    <CodeBlock code={codes.join('\n')} label={words.recoveryCodes} language="text" />
    <Group justify="flex-end">
      <Button onClick={onDone}>{words.saved}</Button>
    </Group>
  </Stack>
);
