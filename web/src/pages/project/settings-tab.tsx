/** What the forms of a project share. */
import { Button, Group, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useLocation } from 'wouter';
import { useWaitingForWebhook } from '../../destination-queries.js';
import { useDeleteProject, usePatchProject } from '../../queries.js';
import { ConfirmByTyping } from '../../ui/confirm-by-typing.js';
import { MailNotice } from '../../ui/mail-notice.js';
import { countOf } from '../../ui/numbers.js';
import { Section, SectionFrame, useSection } from '../../ui/settings-section.js';
import { tellDone } from '../../ui/tell.js';
import { TextList } from '../../ui/text-list.js';
import { WaitingNotice } from '../../ui/waiting-notice.js';
import { WebhookSecret } from '../../ui/webhook-secret.js';
import { WebhookField } from '../../ui/webhook-test.js';
import type { ProjectBody } from '../../wire.js';
import type { ProjectTabProps } from './project-tab.js';

function General({ project: { id, name, is_active } }: ProjectTabProps) {
  const patch = usePatchProject(id);
  const section = useSection({ name, is_active }, (changed: ProjectBody) => patch.mutateAsync(changed));
  return (
    <Section
      section={section}
      title="General"
      words="What the project is called, and whether its forms are open."
    >
      <TextInput label="Name" maxLength={200} {...section.form.getInputProps('name')} />
      <Switch
        label="Takes submissions"
        description="Switched off, all forms of the project answer that they are closed."
        {...section.form.getInputProps('is_active', { type: 'checkbox' })}
      />
    </Section>
  );
}

function Access({ project: { id, allowed_origins, rate_limit_per_minute } }: ProjectTabProps) {
  const patch = usePatchProject(id);
  const section = useSection<Pick<ProjectBody, 'allowed_origins' | 'rate_limit_per_minute'>>(
    { allowed_origins, rate_limit_per_minute },
    (changed) => patch.mutateAsync(changed),
  );
  const { form } = section;
  return (
    <Section section={section} title="Who may submit" words="For all forms of the project.">
      <TextList
        label="Allowed origins"
        description="Host names whose pages may submit; *.example.com covers subdomains. Empty: every page."
        placeholder="example.com"
        {...form.getInputProps('allowed_origins')}
      />
      <NumberInput
        label="Submissions a minute"
        description="From one address, over all forms."
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
}

function Delivery({ project: { id, webhook_url } }: ProjectTabProps) {
  const patch = usePatchProject(id);
  const section = useSection({ webhook_url }, (changed: ProjectBody) => patch.mutateAsync(changed));
  const { form } = section;
  const isChanged = webhook_url !== null && form.isDirty('webhook_url');
  const waiting = useWaitingForWebhook({ projectId: id }, isChanged);
  return (
    <Section
      section={section}
      title="Delivery"
      words="Each new submission is sent on, signed, and retried when your endpoint does not respond. If a form has its own webhook, both are sent."
    >
      <WebhookField
        path={`/projects/${id}`}
        description="Where submissions of all forms are sent."
        value={form.values.webhook_url}
        onChange={(url) => form.setFieldValue('webhook_url', url)}
        error={form.errors.webhook_url}
      />
      {isChanged && <WaitingNotice waiting={waiting} isRemoved={form.values.webhook_url === null} />}
      <WebhookSecret projectId={id} />
    </Section>
  );
}

function Notifications({ project: { id, notify_emails } }: ProjectTabProps) {
  const patch = usePatchProject(id);
  const section = useSection({ notify_emails }, (changed: ProjectBody) => patch.mutateAsync(changed));
  return (
    <Section
      section={section}
      title="Notifications"
      words="Who gets an e-mail for each new submission of any form."
    >
      <MailNotice />
      <TextList
        label="E-mail addresses"
        description="At most 20."
        placeholder="you@example.com"
        {...section.form.getInputProps('notify_emails')}
      />
    </Section>
  );
}

function DeleteProject({ project }: ProjectTabProps) {
  const remove = useDeleteProject(project.id);
  const [isAsking, asking] = useDisclosure();
  const [, navigate] = useLocation();
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
          navigate('/projects');
        }}
      >
        The project, {forms}, all submissions and files are deleted for good. Pages that still post to its
        forms get an error.
      </ConfirmByTyping>
    </SectionFrame>
  );
}

export const SettingsTab = ({ project }: ProjectTabProps) => (
  <Stack gap={0} maw={1040}>
    <General project={project} />
    <Access project={project} />
    <Delivery project={project} />
    <Notifications project={project} />
    <DeleteProject project={project} />
  </Stack>
);
