/** Instance. */
import { IconServer } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';

export function InstancePage() {
  return (
    <>
      <PageHead title="Instance" />
      <NothingYet icon={<IconServer size={28} stroke={1.5} />} title="This instance">
        Its version, database, storage and queue.
      </NothingYet>
    </>
  );
}
