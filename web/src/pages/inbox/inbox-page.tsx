/** What came in through all forms of the account. */
import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useAllForms } from '../../account-queries.js';
import { ManageLabels } from '../../inbox/manage-labels.js';
import { folders, inbox, placeOfView } from '../../inbox/places.js';
import { useViews } from '../../inbox-queries.js';
import { wholeAccount } from '../../queries.js';
import { PageHead } from '../../ui/page-head.js';
import { ManageViews } from '../submissions/saved-views.js';
import { SubmissionList } from '../submissions/submission-list.js';

/** The name of the folder or the view that the address is; with another filter it is the inbox. */
function useTitle(): string {
  const [path] = useLocation();
  const search = useSearch();
  const views = useViews().data ?? [];
  const places = [...Object.values(folders), ...views.map(placeOfView)];
  return places.find(({ address }) => address === `${path}?${search}`)?.name ?? inbox.name;
}

export function InboxPage() {
  const title = useTitle();
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
            <ManageLabels />
            <ManageViews />
          </>
        }
      />
      <SubmissionList
        scope={wholeAccount}
        label={title}
        hasDeliveries={false}
        form={null}
        formNames={names}
        nothing={null}
      />
    </>
  );
}
