/** What the honeypot of a form caught. */
import { IconShieldHalf } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import type { FormTabProps } from './form-page.js';

export const QuarantineTab = ({ form }: FormTabProps) => (
  <NothingYet key={form.id} icon={<IconShieldHalf size={28} stroke={1.5} />} title="Nothing is in quarantine">
    Submissions that fill in the hidden field of this form are kept here for a while, so that a mistake can be
    mended.
  </NothingYet>
);
