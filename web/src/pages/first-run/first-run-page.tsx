/** From nothing to the first submission: three steps on one page. The progress is in the URL, as `?form=`. */
import { Stack, Text } from '@mantine/core';
import { useLocation, useSearchParams } from 'wouter';
import { useCreateForm, useCreateProject, useForm, useProject } from '../../queries.js';
import { PageHead } from '../../ui/page-head.js';
import * as words from '../../words/first-run.js';
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
    <Stack gap={0} maw={860} mx="auto">
      <PageHead title={words.pageTitle}>
        <Text c="dimmed">{words.pageDescription}</Text>
      </PageHead>
      <Stack gap="lg">
        <NameStep
          number={1}
          title={words.nameAProject}
          words={words.projectDescription}
          placeholder={words.websiteExample}
          action={words.createProject}
          isOpen={projectId === ''}
          done={projectId === '' ? null : (project.data?.name ?? '…')}
          onName={async (name) => {
            const { id } = await createProject.mutateAsync({ name });
            navigate(`/first-run?project=${id}`);
          }}
        />
        <NameStep
          number={2}
          title={words.nameAForm}
          words={words.formDescription}
          placeholder={words.contactExample}
          action={words.createForm}
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
          title={words.putItIntoYourPage}
          isOpen={formId !== ''}
          done={first.data ? words.received : null}
        >
          {form.data && <FirstSubmission form={form.data} first={first} />}
        </Step>
      </Stack>
    </Stack>
  );
}
