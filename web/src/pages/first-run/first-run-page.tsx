/** From nothing to the first submission: three steps on one page. Where one is stands in the address, as `?form=`. */
import { Stack, Text } from '@mantine/core';
import { useLocation, useSearchParams } from 'wouter';
import { useCreateForm, useCreateProject, useForm, useProject } from '../../queries.js';
import { PageHead } from '../../ui/page-head.js';
import { useLocalSandbox } from '../form/local-sandbox.js';
import { FirstSubmission, useFirstSubmission } from './first-submission.js';
import { NameStep, Step } from './step.js';

export function FirstRunPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const formId = search.get('form') ?? '';
  const form = useForm(formId);
  const projectId = form.data?.project_id ?? search.get('project') ?? '';
  const project = useProject(projectId);
  const first = useFirstSubmission(formId);
  const createProject = useCreateProject();
  const createForm = useCreateForm();
  const sandbox = useLocalSandbox();
  return (
    <Stack gap={0} maw={860}>
      <PageHead title="Your first form">
        <Text c="dimmed">From here to the first submission takes about a minute.</Text>
      </PageHead>
      <Stack gap="lg">
        <NameStep
          number={1}
          title="Name a project"
          words="Usually the website your forms are on."
          placeholder="Website"
          action="Create project"
          isOpen={projectId === ''}
          done={projectId === '' ? null : (project.data?.name ?? '…')}
          onName={async (name) => {
            const { id } = await createProject.mutateAsync({ name });
            navigate(`/first-run?project=${id}`);
          }}
        />
        <NameStep
          number={2}
          title="Name a form"
          words="It gets an address of its own that your page posts to."
          placeholder="Contact"
          action="Create form"
          isOpen={projectId !== '' && formId === ''}
          done={formId === '' ? null : (form.data?.name ?? '…')}
          onName={async (name) => {
            const { id } = await createForm.mutateAsync({
              projectId,
              name,
              ...sandbox,
            });
            navigate(`/first-run?form=${id}`);
          }}
        />
        <Step
          number={3}
          title="Put it into your page"
          isOpen={formId !== ''}
          done={first.data ? 'Received' : null}
        >
          {form.data && <FirstSubmission form={form.data} first={first} />}
        </Step>
      </Stack>
    </Stack>
  );
}
