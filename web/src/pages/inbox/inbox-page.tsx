/** The submissions of all forms of the account. */

import { Button } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useAllForms } from '../../account-queries.js';
import { ManageLabels } from '../../inbox/manage-labels.js';
import { folders, inbox, placeOfView } from '../../inbox/places.js';
import { useViews } from '../../inbox-queries.js';
import { useProjects, wholeAccount } from '../../queries.js';
import { May } from '../../ui/may.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';
import * as words from '../../words/submissions.js';
import { ManageViews } from '../submissions/saved-views.js';
import { SubmissionList } from '../submissions/submission-list.js';

/** The name of the folder or view at this URL. With any other filter it is the inbox. */
function useTitle(): string {
  const [path] = useLocation();
  const search = useSearch();
  const views = useViews().data ?? [];
  const places = [...Object.values(folders), ...views.map(placeOfView)];
  return places.find(({ address }) => address === `${path}?${search}`)?.name ?? inbox.name;
}

/** A new instance has no form that could receive anything. */
const NoForm = () => (
  <NothingYet
    icon={<IconInbox size={28} stroke={1.5} />}
    title={words.noForm}
    document="tutorial/first-form.md"
    actions={
      <May to="projects.create">
        <Button component={Link} href="/first-run">
          {words.createFirstForm}
        </Button>
      </May>
    }
  >
    {words.noFormHint}
  </NothingYet>
);

export function InboxPage() {
  const title = useTitle();
  const hasNoProject = useProjects().data?.length === 0;
  const forms = useAllForms();
  const names = useMemo(
    () => new Map(forms.map(({ id, name, projectName }) => [id, `${projectName} · ${name}`] as const)),
    [forms],
  );
  return (
    <>
      <PageHead
        title={title}
        actions={
          <>
            <May to="labels.manage">
              <ManageLabels />
            </May>
            <May to="inbox.manage">
              <ManageViews />
            </May>
          </>
        }
      />
      <SubmissionList
        scope={wholeAccount}
        label={title}
        hasDeliveries={false}
        form={null}
        formNames={names}
        nothing={hasNoProject ? <NoForm /> : null}
      />
    </>
  );
}
