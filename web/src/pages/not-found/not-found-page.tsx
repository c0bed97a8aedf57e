/** An address that leads nowhere. */
import { Button } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { Link } from 'wouter';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';

export const NotFoundPage = () => (
  <>
    <PageHead title="There is no such page" />
    <NothingYet
      icon={<IconMapQuestion size={28} stroke={1.5} />}
      title="Nothing is at this address"
      actions={
        <Button component={Link} href="/" variant="default">
          Go to the overview
        </Button>
      }
    >
      The address may be mistyped, or what it showed was deleted.
    </NothingYet>
  </>
);
