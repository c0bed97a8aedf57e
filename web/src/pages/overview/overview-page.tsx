/** Is everything arriving? Without a project there is nothing to look at, so the first steps come instead. */
import { IconLayoutDashboard } from '@tabler/icons-react';
import { Redirect } from 'wouter';
import { useProjects } from '../../queries.js';
import { LoadingPage } from '../../ui/loading.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';

export function OverviewPage() {
  const projects = useProjects();
  if (projects.isPending) return <LoadingPage />;
  if (projects.isError) return <ProblemState error={projects.error} retry={() => void projects.refetch()} />;
  if (projects.data.length === 0) return <Redirect to="/first-run" replace />;
  return (
    <>
      <PageHead title="Overview" />
      <NothingYet icon={<IconLayoutDashboard size={28} stroke={1.5} />} title="Choose a form">
        Its submissions, deliveries and settings are on its page.
      </NothingYet>
    </>
  );
}
