/** How long submissions and their files are stored, and which visitor data is not stored at all. */
import { Anchor, NumberInput, Switch, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Section } from '../../ui/settings-section.js';
import { TextList } from '../../ui/text-list.js';
import * as words from '../../words/form-settings.js';
import type { FormSettingsProps } from './form-settings.js';

interface DaysInputProps extends Pick<FormSettingsProps, 'form'> {
  readonly name: 'retention_days' | 'file_retention_days';
  readonly label: string;
  readonly description: string;
  readonly placeholder: string;
}

const DaysInput = ({ form, name, ...said }: DaysInputProps) => (
  <NumberInput
    {...said}
    suffix={words.daysUnit(form.values[name] ?? 0)}
    min={1}
    max={36_500}
    allowDecimal={false}
    allowNegative={false}
    clampBehavior="none"
    styles={{ wrapper: { maxWidth: 220 } }}
    value={form.values[name] ?? ''}
    onChange={(days) => form.setFieldValue(name, days === '' ? null : Number(days))}
    error={form.errors[name]}
  />
);

export const SettingsLimits = ({ stored, form }: FormSettingsProps) => {
  const isShorter = (name: DaysInputProps['name']) =>
    form.values[name] !== null && form.values[name] !== stored[name];
  return (
    <Section
      title={words.limitsAndRetention}
      words={words.limitsDescription(
        <Anchor component={Link} href={`/projects/${stored.project_id}/settings`} inherit underline="always">
          {words.projectLink}
        </Anchor>,
      )}
    >
      <DaysInput
        form={form}
        name="retention_days"
        label={words.deleteSubmissionsAfter}
        description={words.deleteSubmissionsAfterDescription}
        placeholder={words.retentionNever}
      />
      {isShorter('retention_days') && (
        <Text size="sm" role="status">
          {words.retentionWarning}
        </Text>
      )}
      <DaysInput
        form={form}
        name="file_retention_days"
        label={words.deleteFilesAfter}
        description={words.deleteFilesAfterDescription}
        placeholder={words.filesWithSubmission}
      />
      {isShorter('file_retention_days') && (
        <Text size="sm" role="status">
          {words.fileRetentionWarning}
        </Text>
      )}
      <TextList
        label={words.redactFields}
        description={words.redactFieldsDescription}
        placeholder={words.redactFieldsPlaceholder}
        {...form.getInputProps('redact_fields')}
      />
      {form.values.redact_fields.some((name) => !stored.redact_fields.includes(name)) && (
        <Text size="sm" role="status">
          {words.redactWarning}
        </Text>
      )}
    </Section>
  );
};

export const SettingsPrivacy = ({ form }: Pick<FormSettingsProps, 'form'>) => (
  <Section title={words.privacy} words={words.privacyDescription}>
    <Switch
      label={words.storeIp}
      description={words.storeIpDescription}
      {...form.getInputProps('store_ip', { type: 'checkbox' })}
    />
    <Switch
      label={words.storeUserAgent}
      description={words.storeUserAgentDescription}
      {...form.getInputProps('store_user_agent', { type: 'checkbox' })}
    />
  </Section>
);
