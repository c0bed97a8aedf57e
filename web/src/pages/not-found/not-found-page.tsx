import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { PageHead } from '../../ui/page-head.js';
import * as words from '../../words/session.js';

export const NotFoundPage = () => (
  <>
    <PageHead title={words.noSuchPage}>
      <Text size="sm" c="dimmed">
        {words.noSuchPageReason}
      </Text>
    </PageHead>
    <Button component={Link} href="/" variant="default">
      {words.goToTheOverview}
    </Button>
  </>
);
