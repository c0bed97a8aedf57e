/** What the honeypot of a form caught. */
import { QuarantineList } from '../quarantine/quarantine-list.js';
import type { FormTabProps } from './form-tab.js';

export const QuarantineTab = ({ form }: FormTabProps) => <QuarantineList key={form.id} formId={form.id} />;
