/** How a form is set. */
import { IconSettings } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import type { FormTabProps } from './form-page.js';

export const SettingsTab = ({ form }: FormTabProps) => (
  <NothingYet key={form.id} icon={<IconSettings size={28} stroke={1.5} />} title="Settings of the form">
    They are changed through the API, see /docs.
  </NothingYet>
);
