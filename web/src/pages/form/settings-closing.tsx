/** When a form is open, and how many submissions it accepts. */
import { NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import { Section } from '../../ui/settings-section.js';
import * as words from '../../words/form-settings.js';
import type { FormSettingsProps } from './form-settings.js';
import { localInput, momentOf } from './local-moment.js';

type Moment = 'opens_at' | 'closes_at';

export function SettingsClosing({ form }: Pick<FormSettingsProps, 'form'>) {
  const moment = (name: Moment) => ({
    type: 'datetime-local',
    value: localInput(form.values[name]),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      form.setFieldValue(name, momentOf(value)),
    error: form.errors[name],
  });
  return (
    <Section title={words.openingTimes} words={words.openingTimesDescription}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={words.opensAt} description={words.opensAtDescription} {...moment('opens_at')} />
        <TextInput label={words.closesAt} description={words.closesAtDescription} {...moment('closes_at')} />
      </SimpleGrid>
      <NumberInput
        label={words.maxSubmissions}
        description={words.maxSubmissionsDescription}
        placeholder={words.maxSubmissionsNone}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
        thousandSeparator=","
        styles={{ wrapper: { maxWidth: 220 } }}
        value={form.values.max_submissions ?? ''}
        onChange={(most) => form.setFieldValue('max_submissions', most === '' ? null : Number(most))}
        error={form.errors.max_submissions}
      />
    </Section>
  );
}
