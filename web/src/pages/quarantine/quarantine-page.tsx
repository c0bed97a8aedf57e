/** What the honeypots of all forms caught. */
import { Text } from '@mantine/core';
import { PageHead } from '../../ui/page-head.js';
import { QuarantineList } from './quarantine-list.js';

export const QuarantinePage = () => (
  <>
    <PageHead title="Quarantine">
      <Text size="sm" c="dimmed">
        Submissions caught by the honeypot. They were not delivered.
      </Text>
    </PageHead>
    <QuarantineList formId={null} />
  </>
);
