/** All settings of a form, grouped by purpose. */
import { Anchor, Button, Switch, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { usePatchForm } from '../../queries.js';
import { MailNotice } from '../../ui/mail-notice.js';
import { Section, SectionFrame, SettingsPage, useSettings } from '../../ui/settings-section.js';
import { TextList } from '../../ui/text-list.js';
import { WebhookWaiting } from '../../ui/waiting-notice.js';
import { WebhookSecret } from '../../ui/webhook-secret.js';
import { WebhookField } from '../../ui/webhook-test.js';
import * as common from '../../words/common.js';
import * as words from '../../words/form-settings.js';
import { DeleteForm } from './delete-form.js';
import { type FormSettingsProps, formSettingsOf } from './form-settings.js';
import type { FormTabProps } from './form-tab.js';
import { SettingsAccess } from './settings-access.js';
import { SettingsAliases } from './settings-aliases.js';
import { SettingsClosing } from './settings-closing.js';
import { SettingsHosted } from './settings-hosted.js';
import { SettingsOptIn } from './settings-opt-in.js';
import { SettingsReply } from './settings-reply.js';
import { SettingsLimits, SettingsPrivacy } from './settings-retention.js';
import { SettingsSpam } from './settings-spam.js';
import { SettingsThanks } from './settings-thanks.js';

const General = ({ form }: Pick<FormSettingsProps, 'form'>) => (
  <Section title={words.general} words={words.generalDescription}>
    <TextInput label={common.name} maxLength={200} {...form.getInputProps('name')} />
    <Switch
      label={words.acceptSubmissions}
      description={words.acceptSubmissionsDescription}
      {...form.getInputProps('is_active', { type: 'checkbox' })}
    />
  </Section>
);

const AfterSubmitting = ({ form }: Pick<FormSettingsProps, 'form'>) => (
  <Section title={words.afterSubmitting} words={words.afterSubmittingDescription}>
    <TextInput
      type="url"
      label={words.redirectTo}
      description={words.redirectToDescription}
      placeholder="https://example.com/thank-you"
      spellCheck={false}
      value={form.values.success_redirect ?? ''}
      onChange={(event) => form.setFieldValue('success_redirect', event.currentTarget.value.trim() || null)}
      error={form.errors.success_redirect}
    />
    <Switch
      label={words.waitForTheWebhook}
      description={words.waitForTheWebhookDescription}
      {...form.getInputProps('wait_for_webhook', { type: 'checkbox' })}
    />
  </Section>
);

const Delivery = ({ stored: { id, project_id, webhook_url }, form }: FormSettingsProps) => (
  <Section
    title={words.delivery}
    words={words.deliveryDescription(
      <Anchor component={Link} href={`/projects/${project_id}/settings`} inherit underline="always">
        {words.projectLink}
      </Anchor>,
    )}
  >
    <WebhookField
      path={`/forms/${id}`}
      description={words.webhookDescription}
      value={form.values.webhook_url}
      onChange={(url) => form.setFieldValue('webhook_url', url)}
      error={form.errors.webhook_url}
    />
    <WebhookWaiting of={{ formId: id }} stored={webhook_url} wanted={form.values.webhook_url} />
    <WebhookSecret projectId={project_id} />
  </Section>
);

const Notifications = ({ form }: Pick<FormSettingsProps, 'form'>) => (
  <Section title={words.notifications} words={words.notificationsDescription}>
    <MailNotice />
    <TextList
      label={words.emailAddresses}
      description={words.emailAddressesDescription}
      placeholder="you@example.com"
      {...form.getInputProps('notify_emails')}
    />
    <TextList
      label={words.addressesThatPagesCanCopy}
      description={words.addressesThatPagesCanCopyDescription}
      placeholder="colleague@example.com"
      {...form.getInputProps('allowed_cc_emails')}
    />
  </Section>
);

const Import = ({ form: { id } }: FormTabProps) => (
  <SectionFrame title={words.importSection} words={words.importSectionDescription}>
    <Button component={Link} href={`/forms/${id}/import`} variant="default">
      {words.importSubmissions}
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
      <SettingsHosted stored={stored} form={form} />
      <SettingsAccess form={form} />
      <SettingsClosing form={form} />
      <SettingsSpam form={form} />
      <Delivery stored={stored} form={form} />
      <Notifications form={form} />
      <SettingsReply stored={stored} form={form} />
      <SettingsOptIn stored={stored} form={form} />
      <SettingsLimits stored={stored} form={form} />
      <SettingsPrivacy form={form} />
    </SettingsPage>
  );
}
