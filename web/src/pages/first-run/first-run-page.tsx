/** First steps. */
import { IconRoute } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';

export function FirstRunPage() {
  return (
    <>
      <PageHead title="First steps" />
      <NothingYet icon={<IconRoute size={28} stroke={1.5} />} title="Make your first project">
        A project holds the forms of one website. Make one on the page of projects.
      </NothingYet>
    </>
  );
}
