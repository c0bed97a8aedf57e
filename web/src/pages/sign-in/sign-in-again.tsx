/** Covers a page whose session expired. The page keeps its state, and the interrupted request continues afterwards. */
import { Modal, Text } from '@mantine/core';
import * as words from '../../words/session.js';
import { SignInForm } from './sign-in-form.js';

interface SignInAgainProps {
  readonly opened: boolean;
  readonly email: string;
}

/** Above every other dialog, since the rejected request may have come from one. */
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
