/** Submissions caught by the form's honeypot. */
import { Stack } from '@mantine/core';
import { AboutQuarantine } from '../quarantine/about-quarantine.js';
import { QuarantineList } from '../quarantine/quarantine-list.js';
import type { FormTabProps } from './form-tab.js';

export const QuarantineTab = ({ form }: FormTabProps) => (
  <Stack gap="md">
    <AboutQuarantine spamPath={`/forms/${form.id}`} />
    <QuarantineList key={form.id} formId={form.id} />
  </Stack>
);
