/** A project: its forms, their submissions and deliveries, and their shared settings. */

import { Tabs } from '@mantine/core';
import { type ComponentType, Suspense } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useMay } from '../../may.js';
import { useProject } from '../../queries.js';
import { lazyPart, type PageProps } from '../../ui/lazy-part.js';
import { LoadingPage, LoadingRows } from '../../ui/loading.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { SwitchedOff } from '../../ui/state-badge.js';
import { TabList } from '../../ui/tab-list.js';
import * as common from '../../words/common.js';
import { StatsStrip } from '../overview/stats-strip.js';
import type { ProjectTabProps } from './project-tab.js';

const tabs: readonly {
  readonly name: string;
  readonly label: string;
  readonly tab: ComponentType<ProjectTabProps>;
}[] = [
  { name: 'forms', label: common.forms, tab: lazyPart(() => import('./forms-tab.js'), 'FormsTab') },
  {
    name: 'submissions',
    label: common.submissions,
    tab: lazyPart(() => import('./submissions-tab.js'), 'SubmissionsTab'),
  },
  {
    name: 'destinations',
    label: common.destinations,
    tab: lazyPart(() => import('./destinations-tab.js'), 'DestinationsTab'),
  },
  {
    name: 'deliveries',
    label: common.deliveries,
    tab: lazyPart(() => import('./deliveries-tab.js'), 'DeliveriesTab'),
  },
  {
    name: 'settings',
    label: common.settings,
    tab: lazyPart(() => import('./settings-tab.js'), 'SettingsTab'),
  },
];

export function ProjectPage({ params }: PageProps) {
  const id = params.id ?? '';
  const project = useProject(id);
  const [, navigate] = useLocation();
  const mayChange = useMay('projects.manage', id);
  const shown = tabs.filter(({ name }) => mayChange || name !== 'settings');
  const chosen = shown.find(({ name }) => name === (params.tab ?? 'forms'));
  if (project.isPending) return <LoadingPage />;
  if (project.isLoadingError)
    return <ProblemState error={project.error} retry={() => void project.refetch()} />;
  if (chosen === undefined) return <Redirect to={`/projects/${id}`} replace />;
  return (
    <>
      <PageHead
        title={project.data.name}
        trail={[{ label: common.projects, to: '/projects' }]}
        aside={project.data.is_active ? null : <SwitchedOff />}
      >
        <StatsStrip owner={{ projectId: id }} />
      </PageHead>
      <Tabs
        value={chosen.name}
        onChange={(tab) =>
          navigate(tab === null || tab === 'forms' ? `/projects/${id}` : `/projects/${id}/${tab}`)
        }
        keepMounted={false}
      >
        <TabList shown={chosen.name}>
          {shown.map(({ name, label }) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </TabList>
        {shown.map(({ name, tab: Tab }) => (
          <Tabs.Panel key={name} value={name}>
            <Suspense fallback={<LoadingRows />}>
              <Tab key={project.data.id} project={project.data} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
