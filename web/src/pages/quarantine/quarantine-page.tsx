/** What the honeypots of all forms caught. */
import { Text } from '@mantine/core';
import { PageHead } from '../../ui/page-head.js';
import { QuarantineList } from './quarantine-list.js';

export const QuarantinePage = () => (
  <>
    <PageHead title="Quarantine">
      <Text size="sm" c="dimmed">
        What filled in a hidden field that people do not see. It was not delivered to anybody.
      </Text>
    </PageHead>
    <QuarantineList formId={null} />
  </>
);
