/** A form: submissions, deliveries, quarantine, rejections and settings. One file per tab. */

import { Box, Group, Stack, Tabs, Text } from '@mantine/core';
import { type ComponentType, Suspense } from 'react';
import { Redirect, useLocation } from 'wouter';
import { useMay } from '../../may.js';
import { useForm, useProject } from '../../queries.js';
import { CopyButton } from '../../ui/copy-button.js';
import { lazyPart, type PageProps } from '../../ui/lazy-part.js';
import { LoadingFields, LoadingPage, LoadingRows } from '../../ui/loading.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { FormMode } from '../../ui/state-badge.js';
import { TabList } from '../../ui/tab-list.js';
import * as common from '../../words/common.js';
import * as words from '../../words/form.js';
import { StatsStrip } from '../overview/stats-strip.js';
import { FormMenu } from './form-menu.js';
import type { FormTabProps } from './form-tab.js';

const tabs: readonly {
  readonly name: string;
  readonly label: string;
  readonly tab: ComponentType<FormTabProps>;
}[] = [
  {
    name: 'submissions',
    label: common.submissions,
    tab: lazyPart(() => import('./submissions-tab.js'), 'SubmissionsTab'),
  },
  {
    name: 'fields',
    label: words.fields,
    tab: lazyPart(() => import('./fields/fields-tab.js'), 'FieldsTab'),
  },
  {
    name: 'settings',
    label: common.settings,
    tab: lazyPart(() => import('./settings-tab.js'), 'SettingsTab'),
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
    name: 'quarantine',
    label: words.quarantine,
    tab: lazyPart(() => import('./quarantine-tab.js'), 'QuarantineTab'),
  },
  {
    name: 'rejections',
    label: words.rejected,
    tab: lazyPart(() => import('./rejections-tab.js'), 'RejectionsTab'),
  },
  { name: 'numbers', label: words.statistics, tab: lazyPart(() => import('./numbers-tab.js'), 'NumbersTab') },
  {
    name: 'snippets',
    label: words.snippets,
    tab: lazyPart(() => import('./snippets-tab.js'), 'SnippetsTab'),
  },
];

/** Only for users who may change the form. */
const changing = new Set(['fields', 'settings']);

const Endpoint = ({ url }: { readonly url: string }) => (
  <Group gap={4} wrap="nowrap" className="page-address">
    <Text size="sm" c="dimmed" className="mono line-clamp">
      POST {url}
    </Text>
    <CopyButton value={url} label={words.copyEndpoint} />
  </Group>
);

export function FormPage({ params }: PageProps) {
  const id = params.id ?? '';
  const form = useForm(id);
  const project = useProject(form.data?.project_id ?? '');
  const [, navigate] = useLocation();
  const mayChange = useMay('forms.manage', form.data?.project_id);
  const shown = tabs.filter(({ name }) => mayChange || !changing.has(name));
  const chosen = shown.find(({ name }) => name === (params.tab ?? 'submissions'));
  if (form.isPending) return <LoadingPage />;
  if (form.isLoadingError) return <ProblemState error={form.error} retry={() => void form.refetch()} />;
  if (chosen === undefined) return <Redirect to={`/forms/${id}`} replace />;
  const { name, endpoint } = form.data;
  return (
    <>
      <PageHead
        title={name}
        trail={[
          { label: common.projects, to: '/projects' },
          { label: project.data?.name ?? '…', to: `/projects/${form.data.project_id}` },
        ]}
        aside={
          <>
            <FormMode
              isActive={form.data.is_active}
              isArchived={form.data.is_archived}
              mode={form.data.validation_mode}
            />
            <Endpoint url={endpoint} />
          </>
        }
        actions={mayChange && <FormMenu key={form.data.id} form={form.data} />}
      >
        {/* No room above every tab on a phone; the numbers tab shows them. */}
        <Box visibleFrom="sm">
          <StatsStrip owner={{ formId: form.data.id }} />
        </Box>
      </PageHead>
      <Tabs
        value={chosen.name}
        onChange={(tab) =>
          navigate(tab === null || tab === 'submissions' ? `/forms/${id}` : `/forms/${id}/${tab}`)
        }
        keepMounted={false}
      >
        <TabList shown={chosen.name}>
          {shown.map(({ name: tab, label }) => (
            <Tabs.Tab key={tab} value={tab}>
              {label}
            </Tabs.Tab>
          ))}
        </TabList>
        {shown.map(({ name: tab, tab: Tab }) => (
          <Tabs.Panel key={tab} value={tab}>
            <Suspense fallback={<Stack>{tab === 'settings' ? <LoadingFields /> : <LoadingRows />}</Stack>}>
              <Tab key={form.data.id} form={form.data} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
