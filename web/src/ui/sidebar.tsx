/** The main navigation: projects with their forms, and the account-wide pages. */
import { NavLink, Skeleton, Stack } from '@mantine/core';
import {
  IconAlertTriangle,
  IconBook,
  IconFolder,
  IconFolders,
  IconGauge,
  IconKey,
  IconLayoutDashboard,
  IconServer,
  IconShieldHalf,
  IconUserSearch,
  IconUsers,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { Link, useRoute } from 'wouter';
import { useAttention, useForm, useForms, useProjects } from '../queries.js';
import { useSession } from '../session.js';
import type { ProjectItem } from '../wire.js';
import { formatNumber } from '../words/format.js';
import * as places from '../words/places.js';
import * as words from '../words/shell.js';
import { InboxEntries, UnreadCount, useUnreadCounts } from './inbox-entries.js';
import { Untrusted } from './untrusted.js';

/** Up to this many projects start expanded. */
const maxOpenAtStart = 4;

interface EntryProps {
  readonly to: string;
  readonly label: string;
  readonly icon: ReactNode;
  readonly aside?: ReactNode;
}

function Entry({ to, label, icon, aside }: EntryProps) {
  const [isHere] = useRoute(to);
  return (
    <NavLink
      component={Link}
      href={to}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      label={label}
      leftSection={icon}
      rightSection={aside}
    />
  );
}

const Count = ({ count, title }: { readonly count: number; readonly title: string }) => (
  <span className="nav-count" title={title}>
    {formatNumber(count)}
  </span>
);

function FormEntry({
  id,
  name,
  unread,
}: {
  readonly id: string;
  readonly name: string;
  readonly unread: number;
}) {
  const [isHere] = useRoute(`/forms/${id}/*?`);
  return (
    <NavLink
      component={Link}
      href={`/forms/${id}`}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      label={<Untrusted>{name}</Untrusted>}
      noWrap
      rightSection={<UnreadCount count={unread} />}
      className="nav-link nav-form"
    />
  );
}

interface ProjectEntryProps {
  readonly project: ProjectItem;
  readonly isFew: boolean;
  readonly unreadOf: (formId: string) => number;
}

function ProjectEntry({ project, isFew, unreadOf }: ProjectEntryProps) {
  const [isHere] = useRoute(`/projects/${project.id}/*?`);
  const [, formRoute] = useRoute('/forms/:id/*?');
  const openForm = useForm(formRoute?.id ?? '');
  const holdsPage = isHere || openForm.data?.project_id === project.id;
  const [isOpen, setOpen] = useState(isFew);
  useEffect(() => {
    if (holdsPage) setOpen(true);
  }, [holdsPage]);
  const forms = useForms(project.id, isOpen);
  return (
    <>
      <NavLink
        component={Link}
        href={`/projects/${project.id}`}
        active={isHere}
        aria-current={isHere ? 'page' : undefined}
        label={<Untrusted>{project.name}</Untrusted>}
        noWrap
        leftSection={<IconFolder />}
        rightSection={
          isOpen ? null : <Count count={project.forms_count} title={words.formCount(project.forms_count)} />
        }
        onClick={() => setOpen(true)}
      />
      {isOpen &&
        (forms.isPending ? (
          <div className="nav-waiting">
            <Skeleton h={16} />
          </div>
        ) : (
          forms.data?.map((form) => (
            <FormEntry key={form.id} id={form.id} name={form.name} unread={unreadOf(form.id)} />
          ))
        ))}
    </>
  );
}

export function Sidebar() {
  const projects = useProjects();
  const unread = useUnreadCounts();
  const role = useSession().data?.user.role ?? null;
  const attention = useAttention().data ?? [];
  const waiting = attention
    .filter(({ kind }) => kind === 'quarantine_waiting')
    .reduce((sum, { count }) => sum + count, 0);
  const isInTrouble = attention.some(({ kind }) => kind === 'disk_low' || kind === 'mail_failing');
  return (
    <Stack gap={0}>
      <Entry to="/" label={places.overview} icon={<IconLayoutDashboard />} />
      <InboxEntries unread={unread.total} />
      <Entry to="/projects" label={places.projects} icon={<IconFolders />} />
      {projects.isPending && (
        <Stack gap={16} className="nav-waiting">
          <Skeleton h={16} />
          <Skeleton h={16} w="70%" />
        </Stack>
      )}
      {projects.data?.map((project) => (
        <ProjectEntry
          key={project.id}
          project={project}
          isFew={(projects.data?.length ?? 0) <= maxOpenAtStart}
          unreadOf={unread.of}
        />
      ))}
      <div className="nav-group" />
      <Entry
        to="/quarantine"
        label={places.quarantine}
        icon={<IconShieldHalf />}
        aside={waiting > 0 ? <Count count={waiting} title={words.waiting(waiting)} /> : null}
      />
      {role !== null && <Entry to="/api-keys" label={places.apiKeys} icon={<IconKey />} />}
      {role !== null && <Entry to="/users" label={places.users} icon={<IconUsers />} />}
      {role === 'owner' && <Entry to="/person" label={places.person} icon={<IconUserSearch />} />}
      {role === 'owner' && <Entry to="/audit" label={places.auditLog} icon={<IconBook />} />}
      <Entry to="/plan" label={places.plan} icon={<IconGauge />} />
      <Entry
        to="/instance"
        label={places.instance}
        icon={<IconServer />}
        aside={
          isInTrouble ? (
            <IconAlertTriangle color="var(--state-failed)" role="img" aria-label={words.needsAttention} />
          ) : null
        }
      />
    </Stack>
  );
}
