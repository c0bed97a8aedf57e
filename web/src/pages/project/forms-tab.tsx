/** The forms of a project. */

import { Button, Group, Switch, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconForms, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useArchivedForms, useForms } from '../../queries.js';
import { CopyButton } from '../../ui/copy-button.js';
import { useListKeys } from '../../ui/keyboard.js';
import { ListTable } from '../../ui/list-table.js';
import { LoadingRows } from '../../ui/loading.js';
import { May } from '../../ui/may.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { RowLink } from '../../ui/row-link.js';
import { FormMode } from '../../ui/state-badge.js';
import type { FormItem } from '../../wire.js';
import * as common from '../../words/common.js';
import { formatNumber } from '../../words/format.js';
import * as words from '../../words/project.js';
import { CreateForm } from './create-form.js';
import type { ProjectTabProps } from './project-tab.js';

interface FormRowsProps {
  readonly forms: readonly FormItem[];
  readonly active: number;
}

const FormRows = ({ forms, active }: FormRowsProps) => (
  <ListTable
    head={
      <>
        <Table.Th>{common.form}</Table.Th>
        <Table.Th visibleFrom="md">{words.endpoint}</Table.Th>
        <Table.Th>{words.mode}</Table.Th>
        <Table.Th ta="right">{common.submissions}</Table.Th>
        <Table.Th ta="right" visibleFrom="md">
          {common.created}
        </Table.Th>
      </>
    }
  >
    {forms.map((form, index) => (
      <Table.Tr key={form.id} className="row" data-active={index === active} data-row={index}>
        <Table.Td fw={500}>
          <RowLink href={`/forms/${form.id}`} name={form.name} />
        </Table.Td>
        <Table.Td visibleFrom="md">
          <Group gap={4} wrap="nowrap" className="above" w="fit-content">
            <Text span inherit c="dimmed" className="mono">
              /f/{form.public_id}
            </Text>
            <CopyButton value={form.endpoint} label={words.copyEndpoint} />
          </Group>
        </Table.Td>
        <Table.Td>
          <FormMode
            isActive={form.is_active}
            isArchived={form.is_archived === true}
            mode={form.validation_mode}
          />
        </Table.Td>
        <Table.Td ta="right">{formatNumber(form.submissions_count)}</Table.Td>
        <Table.Td ta="right" c="dimmed" visibleFrom="md">
          <RelativeTime iso={form.created_at} />
        </Table.Td>
      </Table.Tr>
    ))}
  </ListTable>
);

export function FormsTab({ project }: ProjectTabProps) {
  const open = useForms(project.id);
  const [isShowingArchived, setShowingArchived] = useState(false);
  const archived = useArchivedForms(project.id, true).data ?? [];
  const forms = [...(open.data ?? []), ...(isShowingArchived ? archived : [])];
  const [, navigate] = useLocation();
  const [isCreating, creating] = useDisclosure();
  const { active } = useListKeys({
    items: forms,
    onOpen: ({ id }) => navigate(`/forms/${id}`),
  });
  const create = (
    <May to="forms.manage" of={project.id}>
      <Button leftSection={<IconPlus size={16} />} onClick={creating.open}>
        {words.createForm}
      </Button>
    </May>
  );
  return (
    <>
      <CreateForm projectId={project.id} opened={isCreating} onClose={creating.close} />
      {open.isPending && <LoadingRows rows={project.forms.length || 3} />}
      {open.isLoadingError && <ProblemState error={open.error} retry={() => void open.refetch()} />}
      {open.data?.length === 0 && archived.length === 0 && (
        <NothingYet
          icon={<IconForms size={28} stroke={1.5} />}
          title={words.noForms}
          actions={create}
          document="tutorial/first-form.md"
        >
          {words.noFormsHint}
        </NothingYet>
      )}
      {open.data !== undefined && open.data.length + archived.length > 0 && (
        <>
          <Group justify="flex-end" mb="sm">
            {archived.length > 0 && (
              <Switch
                label={words.showArchived(archived.length)}
                checked={isShowingArchived}
                onChange={(event) => setShowingArchived(event.currentTarget.checked)}
              />
            )}
            {create}
          </Group>
          {forms.length > 0 && <FormRows forms={forms} active={active} />}
        </>
      )}
    </>
  );
}
