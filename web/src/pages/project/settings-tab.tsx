/** The settings shared by the forms of a project. */
import { Button, Group, NumberInput, Switch, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { leaveFor } from '../../navigation.js';
import { useDeleteProject, usePatchProject } from '../../queries.js';
import { ConfirmByTyping } from '../../ui/confirm-by-typing.js';
import { MailNotice } from '../../ui/mail-notice.js';
import { Section, SectionFrame, SettingsPage, useSettings } from '../../ui/settings-section.js';
import { tellDone } from '../../ui/tell.js';
import { TextList } from '../../ui/text-list.js';
import { WebhookWaiting } from '../../ui/waiting-notice.js';
import { WebhookSecret } from '../../ui/webhook-secret.js';
import { WebhookField } from '../../ui/webhook-test.js';
import type { ProjectFull } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/project.js';
import type { ProjectTabProps } from './project-tab.js';

const projectSettingsOf = (project: ProjectFull) => ({
  name: project.name,
  is_active: project.is_active,
  allowed_origins: project.allowed_origins,
  rate_limit_per_minute: project.rate_limit_per_minute,
  webhook_url: project.webhook_url,
  notify_emails: project.notify_emails,
});

interface SectionProps {
  readonly form: UseFormReturnType<ReturnType<typeof projectSettingsOf>>;
}

const General = ({ form }: SectionProps) => (
  <Section title={words.general} words={words.generalDescription}>
    <TextInput label={common.name} maxLength={200} {...form.getInputProps('name')} />
    <Switch
      label={words.acceptSubmissions}
      description={words.acceptSubmissionsDescription}
      {...form.getInputProps('is_active', { type: 'checkbox' })}
    />
  </Section>
);

const Access = ({ form }: SectionProps) => (
  <Section title={words.whoMaySubmit} words={words.whoMaySubmitDescription}>
    <TextList
      label={words.allowedOrigins}
      description={words.allowedOriginsDescription}
      placeholder="example.com"
      {...form.getInputProps('allowed_origins')}
    />
    <NumberInput
      label={words.submissionsPerMinute}
      description={words.submissionsPerMinuteDescription}
      min={1}
      max={10_000_000}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      thousandSeparator=","
      styles={{ wrapper: { maxWidth: 220 } }}
      {...form.getInputProps('rate_limit_per_minute')}
    />
  </Section>
);

const Delivery = ({ form, project: { id, webhook_url } }: SectionProps & ProjectTabProps) => (
  <Section title={words.delivery} words={words.deliveryDescription}>
    <WebhookField
      path={`/projects/${id}`}
      description={words.webhookDescription}
      value={form.values.webhook_url}
      onChange={(url) => form.setFieldValue('webhook_url', url)}
      error={form.errors.webhook_url}
    />
    <WebhookWaiting of={{ projectId: id }} stored={webhook_url} wanted={form.values.webhook_url} />
    <WebhookSecret projectId={id} />
  </Section>
);

const Notifications = ({ form }: SectionProps) => (
  <Section title={words.notifications} words={words.notificationsDescription}>
    <MailNotice />
    <TextList
      label={words.emailAddresses}
      description={words.emailAddressesDescription}
      placeholder="you@example.com"
      {...form.getInputProps('notify_emails')}
    />
  </Section>
);

function DeleteProject({ project }: ProjectTabProps) {
  const remove = useDeleteProject(project.id);
  const [isAsking, asking] = useDisclosure();
  return (
    <SectionFrame title={words.dangerZone} words={words.dangerZoneDescription}>
      <Group justify="space-between" wrap="nowrap" className="danger">
        <Text size="sm">{words.deleteProjectHint(project.forms.length)}</Text>
        <Button color="red" variant="light" onClick={asking.open} flex="none">
          {words.deleteProject}
        </Button>
      </Group>
      <ConfirmByTyping
        opened={isAsking}
        onClose={asking.close}
        title={words.deleteProject}
        phrase={project.name}
        action={words.deleteProject}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          tellDone(words.deleted);
          leaveFor('/projects');
        }}
      >
        {words.deleteProjectWarning(project.forms.length)}
      </ConfirmByTyping>
    </SectionFrame>
  );
}

export function SettingsTab({ project }: ProjectTabProps) {
  const patch = usePatchProject(project.id);
  const settings = useSettings(project, projectSettingsOf, (changed) => patch.mutateAsync(changed));
  const { form } = settings;
  return (
    <SettingsPage settings={settings} others={<DeleteProject project={project} />}>
      <General form={form} />
      <Access form={form} />
      <Delivery form={form} project={project} />
      <Notifications form={form} />
    </SettingsPage>
  );
}
