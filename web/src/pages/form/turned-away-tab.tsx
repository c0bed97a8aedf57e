/** Why requests to a form were refused. */
import { IconDoorExit } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import type { FormTabProps } from './form-page.js';

export const TurnedAwayTab = ({ form }: FormTabProps) => (
  <NothingYet key={form.id} icon={<IconDoorExit size={28} stroke={1.5} />} title="Nobody was turned away">
    Requests that this form refuses are counted here, with the reason and what would let them in.
  </NothingYet>
);
