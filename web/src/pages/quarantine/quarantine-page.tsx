/** Submissions caught by the honeypots of all forms. */
import { PageHead } from '../../ui/page-head.js';
import * as words from '../../words/quarantine.js';
import { AboutQuarantine } from './about-quarantine.js';
import { QuarantineList } from './quarantine-list.js';

export const QuarantinePage = () => (
  <>
    <PageHead title={words.quarantine}>
      <AboutQuarantine spamPath="/inbox" />
    </PageHead>
    <QuarantineList formId={null} />
  </>
);
