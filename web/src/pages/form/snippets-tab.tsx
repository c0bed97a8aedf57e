/** Ready code for a page. */
import { IconCode } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import type { FormTabProps } from './form-page.js';

export const SnippetsTab = ({ form }: FormTabProps) => (
  <NothingYet key={form.id} icon={<IconCode size={28} stroke={1.5} />} title="Snippets">
    Post to the address above, see /docs.
  </NothingYet>
);
