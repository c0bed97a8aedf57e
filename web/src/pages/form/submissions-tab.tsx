/** The submissions of a form. */

import { Anchor, Button } from '@mantine/core';
import { IconCode, IconInbox } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { useProject } from '../../queries.js';
import { May } from '../../ui/may.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import * as words from '../../words/form.js';
import { SubmissionList } from '../submissions/submission-list.js';
import type { FormTabProps } from './form-tab.js';
import { SandboxHint } from './sandbox-hint.js';

export function SubmissionsTab({ form }: FormTabProps) {
  const project = useProject(form.project_id);
  const scope = useMemo(() => ({ formId: form.id }), [form.id]);
  return (
    <SubmissionList
      key={form.id}
      scope={scope}
      label={form.name}
      hasDeliveries={form.webhook_url !== null || (project.data?.webhook_url ?? null) !== null}
      form={form}
      formNames={null}
      nothing={
        form.submissions_count > 0 ? null : (
          <NothingYet
            icon={<IconInbox size={28} stroke={1.5} />}
            title={words.noSubmissions}
            document="guides/html.md"
            actions={
              <>
                <Button
                  component={Link}
                  href={`/forms/${form.id}/snippets`}
                  leftSection={<IconCode size={16} stroke={1.6} />}
                >
                  {words.getASnippet}
                </Button>
                <May to="submissions.manage" of={form.project_id}>
                  <Button component={Link} href={`/forms/${form.id}/import`} variant="default">
                    {words.importSubmissions}
                  </Button>
                </May>
              </>
            }
          >
            {words.noSubmissionsHint(
              <Anchor component={Link} href={`/forms/${form.id}/rejections`} inherit underline="always">
                {words.rejected}
              </Anchor>,
            )}
            <SandboxHint form={form} />
          </NothingYet>
        )
      }
    />
  );
}
