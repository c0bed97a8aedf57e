/** Signs in with a passkey, where the browser supports them. */
import { Button, Stack, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { wordsOf } from '../../api.js';
import { hasPasskeys, isDismissed } from '../../passkeys.js';
import { useSignInWithPasskey } from '../../session.js';
import * as words from '../../words/entrance.js';

/** `pending`: the token of a password sign-in that needs a second factor; null: the passkey alone. */
export function PasskeyButton({ pending }: { readonly pending: string | null }) {
  const signIn = useSignInWithPasskey();
  if (!hasPasskeys()) return null;
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        fullWidth
        leftSection={<IconFingerprint />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate(pending)}
      >
        {pending === null ? words.withPasskey : words.usePasskey}
      </Button>
      {signIn.isError && (
        <Text size="sm" role="alert">
          {isDismissed(signIn.error) ? words.passkeyDismissed : wordsOf(signIn.error)}
        </Text>
      )}
    </Stack>
  );
}
