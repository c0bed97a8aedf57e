/** What the honeypots of all forms caught. */
import { Text } from '@mantine/core';
import { PageHead } from '../../ui/page-head.js';
import * as words from '../../words/quarantine.js';
import { QuarantineList } from './quarantine-list.js';

export const QuarantinePage = () => (
  <>
    <PageHead title={words.quarantine}>
      <Text size="sm" c="dimmed">
        {words.pageDescription}
      </Text>
    </PageHead>
    <QuarantineList formId={null} />
  </>
);
