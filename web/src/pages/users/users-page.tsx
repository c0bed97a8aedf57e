/** Users. */
import { IconUsers } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';

export function UsersPage() {
  return (
    <>
      <PageHead title="Users" />
      <NothingYet icon={<IconUsers size={28} stroke={1.5} />} title="People who may sign in">
        Add people with the command inlet users create.
      </NothingYet>
    </>
  );
}
