/** All settings of a form, grouped as its owner thinks of them. */
import { Anchor, Button, NumberInput, Switch, Text, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { usePatchForm } from '../../queries.js';
import { MailNotice } from '../../ui/mail-notice.js';
import { Section, SectionFrame, SettingsPage, useSettings } from '../../ui/settings-section.js';
import { TextList } from '../../ui/text-list.js';
import { WebhookWaiting } from '../../ui/waiting-notice.js';
import { WebhookSecret } from '../../ui/webhook-secret.js';
import { WebhookField } from '../../ui/webhook-test.js';
import { DeleteForm } from './delete-form.js';
import { type FormSettingsProps, formSettingsOf } from './form-settings.js';
import type { FormTabProps } from './form-tab.js';
import { SettingsAccess } from './settings-access.js';
import { SettingsAliases } from './settings-aliases.js';
import { SettingsSpam } from './settings-spam.js';
import { SettingsThanks } from './settings-thanks.js';

const General = ({ form }: Pick<FormSettingsProps, 'form'>) => (
  <Section title="General" words="Name and status.">
    <TextInput label="Name" maxLength={200} {...form.getInputProps('name')} />
    <Switch
      label="Accept submissions"
      description="When off, visitors see that the form is closed."
      {...form.getInputProps('is_active', { type: 'checkbox' })}
    />
  </Section>
);

const AfterSubmitting = ({ form }: Pick<FormSettingsProps, 'form'>) => (
  <Section title="After submitting" words="What visitors see after they submit the form.">
    <TextInput
      type="url"
      label="Redirect to"
      description="Your thank-you page. Empty uses Inlet's."
      placeholder="https://example.com/thank-you"
      spellCheck={false}
      value={form.values.success_redirect ?? ''}
      onChange={(event) => form.setFieldValue('success_redirect', event.currentTarget.value.trim() || null)}
      error={form.errors.success_redirect}
    />
    <Switch
      label="Wait for the webhook"
      description="Visitors wait until the first delivery attempt ends, at most 10 seconds. The URL of the page they land on says webhook=delivered or webhook=pending."
      {...form.getInputProps('wait_for_webhook', { type: 'checkbox' })}
    />
  </Section>
);

const Delivery = ({ stored: { id, project_id, webhook_url }, form }: FormSettingsProps) => (
  <Section
    title="Delivery"
    words={
      <>
        Each new submission is sent, signed, to your endpoint, and retried if that fails. The{' '}
        <Anchor component={Link} href={`/projects/${project_id}/settings`} inherit underline="always">
          project
        </Anchor>{' '}
        can have a webhook too. Then both get it.
      </>
    }
  >
    <WebhookField
      path={`/forms/${id}`}
      description="Where submissions of this form are sent."
      value={form.values.webhook_url}
      onChange={(url) => form.setFieldValue('webhook_url', url)}
      error={form.errors.webhook_url}
    />
    <WebhookWaiting of={{ formId: id }} stored={webhook_url} wanted={form.values.webhook_url} />
    <WebhookSecret projectId={project_id} />
  </Section>
);

const Notifications = ({ form }: Pick<FormSettingsProps, 'form'>) => (
  <Section title="Notifications" words="Who gets an e-mail for each new submission.">
    <MailNotice />
    <TextList
      label="E-mail addresses"
      description="In addition to those of the project. At most 20."
      placeholder="you@example.com"
      {...form.getInputProps('notify_emails')}
    />
    <TextList
      label="Addresses that pages can copy"
      description="A page can name these in a hidden field _cc. Other addresses are ignored. At most 20."
      placeholder="colleague@example.com"
      {...form.getInputProps('allowed_cc_emails')}
    />
  </Section>
);

const Limits = ({ stored: { project_id, retention_days }, form }: FormSettingsProps) => (
  <Section
    title="Limits and retention"
    words={
      <>
        How long submissions are stored. The rate limit is set for the whole{' '}
        <Anchor component={Link} href={`/projects/${project_id}/settings`} inherit underline="always">
          project
        </Anchor>
        .
      </>
    }
  >
    <NumberInput
      label="Delete submissions after"
      description="Days. Their files are deleted too. Empty keeps them until you delete them."
      placeholder="Never"
      suffix=" days"
      min={1}
      max={36_500}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      styles={{ wrapper: { maxWidth: 220 } }}
      value={form.values.retention_days ?? ''}
      onChange={(days) => form.setFieldValue('retention_days', days === '' ? null : Number(days))}
      error={form.errors.retention_days}
    />
    {form.values.retention_days !== null && form.values.retention_days !== retention_days && (
      <Text size="sm" role="status">
        Existing older submissions will be deleted soon after you save.
      </Text>
    )}
  </Section>
);

const Import = ({ form: { id } }: FormTabProps) => (
  <SectionFrame title="Import" words="Bring submissions from another service, with their dates.">
    <Button component={Link} href={`/forms/${id}/import`} variant="default">
      Import submissions
    </Button>
  </SectionFrame>
);

export function SettingsTab({ form: stored }: FormTabProps) {
  const patch = usePatchForm(stored.id);
  const settings = useSettings(stored, formSettingsOf, (changed) => patch.mutateAsync(changed));
  const { form } = settings;
  return (
    <SettingsPage
      settings={settings}
      others={
        <>
          <SettingsAliases form={stored} />
          <Import form={stored} />
          <DeleteForm form={stored} />
        </>
      }
    >
      <General form={form} />
      <AfterSubmitting form={form} />
      <SettingsThanks stored={stored} form={form} />
      <SettingsAccess form={form} />
      <SettingsSpam form={form} />
      <Delivery stored={stored} form={form} />
      <Notifications form={form} />
      <Limits stored={stored} form={form} />
    </SettingsPage>
  );
}
