/** Sign in. It stands in the place of the page that was asked for, which appears once the session is there. */
import { Text } from '@mantine/core';
import { useSetup } from '../../session.js';
import { Entrance } from './entrance.js';
import { SignInForm } from './sign-in-form.js';

export function SignInPage() {
  const setup = useSetup();
  if (setup.data?.needed) {
    return (
      <Entrance title="Finish setting up Inlet">
        <Text size="sm">
          The first user is created with a link that Inlet printed when it started. It begins with this
          address and ends in <span className="mono">/dashboard/setup#token=…</span>. Open that link. Inlet
          prints a new one at each start until a user exists.
        </Text>
      </Entrance>
    );
  }
  return (
    <Entrance title="Sign in">
      <SignInForm />
    </Entrance>
  );
}
