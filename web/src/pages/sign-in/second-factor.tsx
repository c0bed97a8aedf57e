/** The second step of sign-in: a code from the authenticator app, or a recovery code. */
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ApiError, wordsOf } from '../../api.js';
import { useShowFactor } from '../../session.js';
import * as words from '../../words/entrance.js';
import { PasskeyButton } from './passkey-button.js';

interface Pending {
  readonly token: string;
  readonly factors: readonly string[];
}

/** The pending sign-in after a correct password. Returns null for any other error. */
export function pendingIn(error: unknown): Pending | null {
  if (!(error instanceof ApiError) || error.code !== 'second_factor_required') return null;
  const { pending_token: token, factors } = error.more;
  return { token: String(token), factors: Array.isArray(factors) ? factors.map(String) : [] };
}

interface SecondFactorProps {
  readonly pending: Pending;
  readonly onCancel: () => void;
}

export function SecondFactor({ pending, onCancel }: SecondFactorProps) {
  const show = useShowFactor();
  const hasApp = pending.factors.includes('totp');
  const [isRecovery, setRecovery] = useState(!hasApp);
  const form = useForm({ initialValues: { shown: '' } });
  const other = () => {
    form.reset();
    show.reset();
    setRecovery(!isRecovery);
  };
  return (
    <form
      onSubmit={form.onSubmit(({ shown }) =>
        show.mutate({
          pending_token: pending.token,
          ...(isRecovery ? { recovery_code: shown } : { code: shown.replace(/\s/g, '') }),
        }),
      )}
    >
      <Stack gap="md">
        {pending.factors.includes('passkey') && <PasskeyButton pending={pending.token} />}
        <Text size="sm">{isRecovery ? words.recoveryHint : words.secondFactorHint}</Text>
        {show.isError && (
          <Alert color="red" variant="light" role="alert">
            {wordsOf(show.error)}
          </Alert>
        )}
        <TextInput
          key={isRecovery ? 'recovery' : 'app'}
          label={isRecovery ? words.recoveryCode : words.code}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          inputMode={isRecovery ? 'text' : 'numeric'}
          maxLength={isRecovery ? 40 : 7}
          required
          withAsterisk={false}
          autoFocus
          data-autofocus
          {...form.getInputProps('shown')}
        />
        <Button type="submit" loading={show.isPending} fullWidth>
          {words.continueSignIn}
        </Button>
        {hasApp && (
          <Button variant="subtle" size="xs" onClick={other}>
            {isRecovery ? words.useApp : words.useRecovery}
          </Button>
        )}
        <Button variant="subtle" color="gray" size="xs" onClick={onCancel}>
          {words.startAgain}
        </Button>
      </Stack>
    </form>
  );
}
