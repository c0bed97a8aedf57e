/** An address that leads nowhere. */
import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { PageHead } from '../../ui/page-head.js';

export const NotFoundPage = () => (
  <>
    <PageHead title="There is no such page">
      <Text size="sm" c="dimmed">
        The address may be mistyped, or the page was deleted.
      </Text>
    </PageHead>
    <Button component={Link} href="/" variant="default">
      Go to the overview
    </Button>
  </>
);
