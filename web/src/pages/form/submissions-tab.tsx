/** What came in through a form. */
import { IconInbox } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import type { FormTabProps } from './form-page.js';

export const SubmissionsTab = ({ form }: FormTabProps) => (
  <NothingYet key={form.id} icon={<IconInbox size={28} stroke={1.5} />} title="No submissions yet">
    Put a snippet into your page and send the form once: it appears here at once.
  </NothingYet>
);
