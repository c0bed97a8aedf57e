/** An address that leads nowhere. */
import { Button } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { Link } from 'wouter';
import { NothingYet } from '../../ui/nothing-yet.js';

export const NotFoundPage = () => (
  <NothingYet
    icon={<IconMapQuestion size={28} stroke={1.5} />}
    title="There is no such page"
    actions={
      <Button component={Link} href="/" variant="default">
        Go to the overview
      </Button>
    }
  >
    The address may be mistyped, or what it showed was deleted.
  </NothingYet>
);
