/** Sign-in. Shown in place of the requested page, which appears once there is a session. */
import { Text } from '@mantine/core';
import { useSetup } from '../../session.js';
import * as words from '../../words/session.js';
import { Entrance } from './entrance.js';
import { SignInForm } from './sign-in-form.js';
import { SignInFailure } from './single-sign-on.js';

export function SignInPage() {
  const setup = useSetup();
  if (setup.data?.needed) {
    return (
      <Entrance title={words.setUpFirst}>
        <Text size="sm">{words.setUpFirstHint(<span className="mono">/dashboard/setup#token=…</span>)}</Text>
      </Entrance>
    );
  }
  return (
    <Entrance title={words.signIn}>
      <SignInFailure />
      <SignInForm />
    </Entrance>
  );
}
