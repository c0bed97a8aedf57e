/** Lies over a page whose session has expired. The page stays as it is, and what was interrupted goes on afterwards. */
import { Modal, Text } from '@mantine/core';
import * as words from '../../words/session.js';
import { SignInForm } from './sign-in-form.js';

interface SignInAgainProps {
  readonly opened: boolean;
  readonly email: string;
}

/** Above every other dialog, which may have sent what was refused. */
const zIndex = 400;

export const SignInAgain = ({ opened, email }: SignInAgainProps) => (
  <Modal
    opened={opened}
    onClose={() => {}}
    title={words.sessionExpired}
    zIndex={zIndex}
    withCloseButton={false}
    closeOnEscape={false}
    closeOnClickOutside={false}
  >
    <Text size="sm" mb="md">
      {words.sessionExpiredHint}
    </Text>
    <SignInForm email={email} />
  </Modal>
);
