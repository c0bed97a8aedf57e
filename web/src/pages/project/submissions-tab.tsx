/** The submissions of all forms of a project. */
import { Button } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { useForms } from '../../queries.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import * as words from '../../words/project.js';
import { SubmissionList } from '../submissions/submission-list.js';
import type { ProjectTabProps } from './project-tab.js';

export function SubmissionsTab({ project }: ProjectTabProps) {
  const forms = useForms(project.id);
  const scope = useMemo(() => ({ projectId: project.id }), [project.id]);
  const names = useMemo(
    () => new Map(project.forms.map(({ id, name }) => [id, name] as const)),
    [project.forms],
  );
  return (
    <SubmissionList
      key={project.id}
      scope={scope}
      label={project.name}
      hasDeliveries={
        project.webhook_url !== null || (forms.data ?? []).some(({ webhook_url }) => webhook_url !== null)
      }
      form={null}
      formNames={names}
      nothing={
        (forms.data ?? []).some(({ submissions_count }) => submissions_count > 0) ? null : (
          <NothingYet
            icon={<IconInbox size={28} stroke={1.5} />}
            title={words.noSubmissions}
            document="guides/html.md"
            actions={
              <Button component={Link} href={`/projects/${project.id}`} variant="default">
                {words.showTheForms}
              </Button>
            }
          >
            {words.noSubmissionsHint}
          </NothingYet>
        )
      }
    />
  );
}
