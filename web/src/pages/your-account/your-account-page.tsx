/** Settings of the user's own login, which is the same in all accounts with a user for it. */
import { Text } from '@mantine/core';
import { useSession } from '../../session.js';
import { PageHead } from '../../ui/page-head.js';
import { SectionedPage } from '../../ui/settings-section.js';
import { Untrusted } from '../../ui/untrusted.js';
import * as words from '../../words/your-account.js';
import { ChangeEmail } from './change-email.js';
import { ChangePassword } from './change-password.js';
import { Passkeys } from './passkeys.js';
import { Sessions } from './sessions.js';
import { TwoFactors } from './two-factors.js';

export function YourAccountPage() {
  const me = useSession().data?.user;
  if (me === undefined) return null;
  return (
    <>
      <PageHead title={words.yourAccount}>
        <Text size="sm" c="dimmed">
          {words.pageDescription(
            <b>
              <Untrusted>{me.email}</Untrusted>
            </b>,
          )}
        </Text>
      </PageHead>
      <SectionedPage>
        <ChangeEmail current={me.email} />
        <ChangePassword email={me.email} />
        <TwoFactors />
        <Passkeys user={me} />
        <Sessions />
      </SectionedPage>
    </>
  );
}
