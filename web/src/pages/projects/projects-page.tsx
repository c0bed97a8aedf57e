/** All projects of the account. */

import { Button, Group, Table } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFolders, IconPlus } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { useProjects } from '../../queries.js';
import { useListKeys } from '../../ui/keyboard.js';
import { ListTable } from '../../ui/list-table.js';
import { LoadingRows } from '../../ui/loading.js';
import { May } from '../../ui/may.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { RowLink } from '../../ui/row-link.js';
import { SwitchedOff } from '../../ui/state-badge.js';
import * as common from '../../words/common.js';
import { formatNumber } from '../../words/format.js';
import * as words from '../../words/projects.js';
import { CreateProject } from './create-project.js';

export function ProjectsPage() {
  const projects = useProjects();
  const [, navigate] = useLocation();
  const [isCreating, creating] = useDisclosure();
  const { active } = useListKeys({
    items: projects.data ?? [],
    onOpen: ({ id }) => navigate(`/projects/${id}`),
  });
  const createButton = (
    <May to="projects.create">
      <Button leftSection={<IconPlus />} onClick={creating.open}>
        {words.createProject}
      </Button>
    </May>
  );
  const isEmpty = projects.data?.length === 0;
  return (
    <>
      <PageHead title={common.projects} actions={isEmpty ? null : createButton} />
      <CreateProject opened={isCreating} onClose={creating.close} />
      {projects.isPending && <LoadingRows />}
      {projects.isLoadingError && (
        <ProblemState error={projects.error} retry={() => void projects.refetch()} />
      )}
      {isEmpty && (
        <NothingYet
          icon={<IconFolders />}
          title={words.noneYet}
          actions={createButton}
          document="tutorial/first-form.md"
        >
          {words.noneYetHint}
        </NothingYet>
      )}
      {projects.data !== undefined && !isEmpty && (
        <ListTable
          head={
            <>
              <Table.Th>{words.project}</Table.Th>
              <Table.Th visibleFrom="md">{words.slug}</Table.Th>
              <Table.Th ta="right">{common.forms}</Table.Th>
              <Table.Th ta="right">{common.submissions}</Table.Th>
              <Table.Th ta="right" visibleFrom="md">
                {common.created}
              </Table.Th>
            </>
          }
        >
          {projects.data.map((project, index) => (
            <Table.Tr key={project.id} className="row" data-active={index === active} data-row={index}>
              <Table.Td fw={500}>
                <Group gap="xs">
                  <RowLink href={`/projects/${project.id}`} name={project.name} />
                  {!project.is_active && <SwitchedOff />}
                </Group>
              </Table.Td>
              <Table.Td c="dimmed" className="mono" visibleFrom="md">
                {project.slug}
              </Table.Td>
              <Table.Td ta="right">{formatNumber(project.forms_count)}</Table.Td>
              <Table.Td ta="right">{formatNumber(project.submissions_count)}</Table.Td>
              <Table.Td ta="right" c="dimmed" visibleFrom="md">
                <RelativeTime iso={project.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </ListTable>
      )}
    </>
  );
}
