/** All settings of a form, grouped as its owner thinks of them. */
import { Anchor, Button, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import { useWaitingForWebhook } from '../../destination-queries.js';
import { usePatchForm } from '../../queries.js';
import { MailNotice } from '../../ui/mail-notice.js';
import { Section, SectionFrame, useSection } from '../../ui/settings-section.js';
import { TextList } from '../../ui/text-list.js';
import { WaitingNotice } from '../../ui/waiting-notice.js';
import { WebhookSecret } from '../../ui/webhook-secret.js';
import { WebhookField } from '../../ui/webhook-test.js';
import type { FormBody } from '../../wire.js';
import { DeleteForm } from './delete-form.js';
import type { FormTabProps } from './form-tab.js';
import { SettingsAccess } from './settings-access.js';
import { SettingsAliases } from './settings-aliases.js';
import { SettingsSpam } from './settings-spam.js';

function General({ form: { id, name, is_active } }: FormTabProps) {
  const patch = usePatchForm(id);
  const section = useSection({ name, is_active }, (changed: FormBody) => patch.mutateAsync(changed));
  return (
    <Section
      section={section}
      title="General"
      words="What the form is called, and whether it takes anything in."
    >
      <TextInput label="Name" maxLength={200} {...section.form.getInputProps('name')} />
      <Switch
        label="Takes submissions"
        description="Switched off, it answers every visitor that the form is closed."
        {...section.form.getInputProps('is_active', { type: 'checkbox' })}
      />
    </Section>
  );
}

function AfterSubmitting({ form: { id, success_redirect, wait_for_webhook } }: FormTabProps) {
  const patch = usePatchForm(id);
  const section = useSection({ success_redirect, wait_for_webhook }, (changed: FormBody) =>
    patch.mutateAsync(changed),
  );
  const { form } = section;
  return (
    <Section section={section} title="After submitting" words="What a visitor sees once the form was sent.">
      <TextInput
        type="url"
        label="Redirect to"
        description="A page of yours. Empty: a short page that says thank you."
        placeholder="https://example.com/thank-you"
        spellCheck={false}
        value={form.values.success_redirect ?? ''}
        onChange={(event) => form.setFieldValue('success_redirect', event.currentTarget.value.trim() || null)}
        error={form.errors.success_redirect}
      />
      <Switch
        label="Wait for the webhook"
        description="The visitor waits until the first delivery attempt ends, 10 seconds at most; the address they land on says webhook=delivered or pending."
        {...form.getInputProps('wait_for_webhook', { type: 'checkbox' })}
      />
    </Section>
  );
}

function Delivery({ form: { id, webhook_url, project_id } }: FormTabProps) {
  const patch = usePatchForm(id);
  const section = useSection({ webhook_url }, (changed: FormBody) => patch.mutateAsync(changed));
  const { form } = section;
  const isChanged = webhook_url !== null && form.isDirty('webhook_url');
  const waiting = useWaitingForWebhook({ formId: id }, isChanged);
  return (
    <Section
      section={section}
      title="Delivery"
      words={
        <>
          Each new submission is sent on, signed, and retried when your endpoint does not respond. The{' '}
          <Anchor component={Link} href={`/projects/${project_id}/settings`} inherit underline="always">
            project
          </Anchor>{' '}
          can have a webhook too: then both are sent.
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
      {isChanged && <WaitingNotice waiting={waiting} isRemoved={form.values.webhook_url === null} />}
      <WebhookSecret projectId={project_id} />
    </Section>
  );
}

function Notifications({ form: { id, notify_emails, allowed_cc_emails } }: FormTabProps) {
  const patch = usePatchForm(id);
  const section = useSection({ notify_emails, allowed_cc_emails }, (changed: FormBody) =>
    patch.mutateAsync(changed),
  );
  return (
    <Section section={section} title="Notifications" words="Who gets an e-mail for each new submission.">
      <MailNotice />
      <TextList
        label="E-mail addresses"
        description="In addition to those of the project. At most 20."
        placeholder="you@example.com"
        {...section.form.getInputProps('notify_emails')}
      />
      <TextList
        label="Addresses that pages can copy"
        description="A page can name these in a hidden field _cc. Other addresses get nothing. At most 20."
        placeholder="colleague@example.com"
        {...section.form.getInputProps('allowed_cc_emails')}
      />
    </Section>
  );
}

function Limits({ form: { id, retention_days, project_id } }: FormTabProps) {
  const patch = usePatchForm(id);
  const section = useSection({ retention_days }, (changed: FormBody) => patch.mutateAsync(changed));
  const { form } = section;
  return (
    <Section
      section={section}
      title="Limits and retention"
      words={
        <>
          How long submissions stay. How many may come a minute is set for the whole{' '}
          <Anchor component={Link} href={`/projects/${project_id}/settings`} inherit underline="always">
            project
          </Anchor>
          .
        </>
      }
    >
      <NumberInput
        label="Delete submissions after"
        description="Days, with their files. Empty: they are kept until you delete them."
        placeholder="Kept"
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
      {form.values.retention_days !== null && form.isDirty('retention_days') && (
        <Text size="sm" role="status">
          Submissions that are older than that now are deleted soon after you save.
        </Text>
      )}
    </Section>
  );
}

const Import = ({ form: { id } }: FormTabProps) => (
  <SectionFrame title="Import" words="Bring submissions from another service, with their dates.">
    <Button component={Link} href={`/forms/${id}/import`} variant="default">
      Import submissions
    </Button>
  </SectionFrame>
);

export const SettingsTab = ({ form }: FormTabProps) => (
  <Stack gap={0} maw={1040}>
    <General form={form} />
    <AfterSubmitting form={form} />
    <SettingsAccess form={form} />
    <SettingsSpam form={form} />
    <Delivery form={form} />
    <Notifications form={form} />
    <Limits form={form} />
    <SettingsAliases form={form} />
    <Import form={form} />
    <DeleteForm form={form} />
  </Stack>
);
