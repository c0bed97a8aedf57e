/** What the forms of a project share. */
import { Button, Group, NumberInput, Switch, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { leaveFor } from '../../navigation.js';
import { useDeleteProject, usePatchProject } from '../../queries.js';
import { ConfirmByTyping } from '../../ui/confirm-by-typing.js';
import { MailNotice } from '../../ui/mail-notice.js';
import { countOf } from '../../ui/numbers.js';
import { Section, SectionFrame, SettingsPage, useSettings } from '../../ui/settings-section.js';
import { tellDone } from '../../ui/tell.js';
import { TextList } from '../../ui/text-list.js';
import { WebhookWaiting } from '../../ui/waiting-notice.js';
import { WebhookSecret } from '../../ui/webhook-secret.js';
import { WebhookField } from '../../ui/webhook-test.js';
import type { ProjectFull } from '../../wire.js';
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
  <Section title="General" words="Name and status.">
    <TextInput label="Name" maxLength={200} {...form.getInputProps('name')} />
    <Switch
      label="Accept submissions"
      description="When off, visitors see that all forms of the project are closed."
      {...form.getInputProps('is_active', { type: 'checkbox' })}
    />
  </Section>
);

const Access = ({ form }: SectionProps) => (
  <Section title="Who may submit" words="For all forms of the project.">
    <TextList
      label="Allowed origins"
      description="Host names whose pages may submit; *.example.com covers subdomains. Empty allows every page."
      placeholder="example.com"
      {...form.getInputProps('allowed_origins')}
    />
    <NumberInput
      label="Submissions per minute"
      description="From one IP address, over all forms."
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
  <Section
    title="Delivery"
    words="Each new submission is sent, signed, to your endpoint, and retried if that fails. A form can have a webhook of its own. Then both get it."
  >
    <WebhookField
      path={`/projects/${id}`}
      description="Where submissions of all forms are sent."
      value={form.values.webhook_url}
      onChange={(url) => form.setFieldValue('webhook_url', url)}
      error={form.errors.webhook_url}
    />
    <WebhookWaiting of={{ projectId: id }} stored={webhook_url} wanted={form.values.webhook_url} />
    <WebhookSecret projectId={id} />
  </Section>
);

const Notifications = ({ form }: SectionProps) => (
  <Section title="Notifications" words="Who gets an e-mail for each new submission of any form.">
    <MailNotice />
    <TextList
      label="E-mail addresses"
      description="At most 20."
      placeholder="you@example.com"
      {...form.getInputProps('notify_emails')}
    />
  </Section>
);

function DeleteProject({ project }: ProjectTabProps) {
  const remove = useDeleteProject(project.id);
  const [isAsking, asking] = useDisclosure();
  const forms = countOf(project.forms.length, 'form');
  return (
    <SectionFrame title="Danger zone" words="What cannot be undone.">
      <Group justify="space-between" wrap="nowrap" className="danger">
        <Text size="sm">Delete this project with {forms}, their submissions and files.</Text>
        <Button color="red" variant="light" onClick={asking.open} flex="none">
          Delete project
        </Button>
      </Group>
      <ConfirmByTyping
        opened={isAsking}
        onClose={asking.close}
        title="Delete project"
        phrase={project.name}
        action="Delete project"
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          tellDone('The project was deleted');
          leaveFor('/projects');
        }}
      >
        The project, {forms}, all submissions and files are deleted for good. Pages that still post to its
        forms get an error.
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
