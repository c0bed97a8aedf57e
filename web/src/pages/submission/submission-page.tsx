/** Submission. */
import { IconInbox } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';

export function SubmissionPage() {
  return (
    <>
      <PageHead title="Submission" />
      <NothingYet icon={<IconInbox size={28} stroke={1.5} />} title="Nothing to show">
        Choose a submission from the list of its form.
      </NothingYet>
    </>
  );
}
