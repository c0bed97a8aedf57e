/** Quarantine. */
import { IconShieldHalf } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';

export function QuarantinePage() {
  return (
    <>
      <PageHead title="Quarantine" />
      <NothingYet icon={<IconShieldHalf size={28} stroke={1.5} />} title="Nothing is in quarantine">
        Submissions that fill in the hidden field of a form are kept here for a while, so that a mistake can
        be mended.
      </NothingYet>
    </>
  );
}
