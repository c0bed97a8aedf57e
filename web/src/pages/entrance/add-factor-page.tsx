/** Replaces all pages while the account requires two factors and the user has only a password. */
import { Button, Stack } from '@mantine/core';
import { useFactors } from '../../login-queries.js';
import { useSigningOut } from '../../ui/sign-out.js';
import type { Session } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/entrance.js';
import { Entrance } from '../sign-in/entrance.js';
import { Passkeys } from '../your-account/passkeys.js';
import { TwoFactors } from '../your-account/two-factors.js';

interface AddFactorProps {
  readonly session: Session;
  readonly onDone: () => void;
}

export function AddFactorPage({ session, onDone }: AddFactorProps) {
  const factors = useFactors().data;
  const signOut = useSigningOut();
  const hasFactor = factors !== undefined && (factors.totp || factors.passkeys.length > 0);
  return (
    <Entrance title={words.addFactor} words={words.addFactorDescription(session.account.name)} isWide>
      <Stack gap="lg">
        <TwoFactors />
        <Passkeys user={session.user} />
        <Button fullWidth disabled={!hasFactor} onClick={onDone}>
          {words.goToDashboard}
        </Button>
        <Button fullWidth variant="default" onClick={signOut}>
          {common.signOut}
        </Button>
      </Stack>
    </Entrance>
  );
}
