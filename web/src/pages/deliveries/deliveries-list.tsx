/** The deliveries of a form or of all forms of a project. */
import { IconSend } from '@tabler/icons-react';
import type { Owner } from '../../queries.js';
import { NothingYet } from '../../ui/nothing-yet.js';

export const DeliveriesList = ({ owner }: { readonly owner: Owner }) => (
  <NothingYet icon={<IconSend size={28} stroke={1.5} />} title="Nothing was sent on yet">
    Set a webhook URL in the settings of the {'formId' in owner ? 'form' : 'project'}: each new submission is
    sent there, signed, and tried again when the receiver does not answer.
  </NothingYet>
);
