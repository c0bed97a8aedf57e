/** The forms of a project. */
import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconForms, IconPlus } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { useForms } from '../../queries.js';
import { CopyButton } from '../../ui/copy-button.js';
import { useListKeys } from '../../ui/keyboard.js';
import { LoadingRows } from '../../ui/loading.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { formatCount } from '../../ui/numbers.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { FormMode } from '../../ui/state-badge.js';
import { Untrusted } from '../../ui/untrusted.js';
import { CreateForm } from './create-form.js';
import type { ProjectTabProps } from './project-tab.js';

export function FormsTab({ project }: ProjectTabProps) {
  const forms = useForms(project.id);
  const [, navigate] = useLocation();
  const [isCreating, creating] = useDisclosure();
  const { active } = useListKeys({
    items: forms.data ?? [],
    onOpen: ({ id }) => navigate(`/forms/${id}`),
  });
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={creating.open}>
      Create form
    </Button>
  );
  return (
    <>
      <CreateForm projectId={project.id} opened={isCreating} onClose={creating.close} />
      {forms.isPending && <LoadingRows rows={project.forms.length || 3} />}
      {forms.isLoadingError && <ProblemState error={forms.error} retry={() => void forms.refetch()} />}
      {forms.data?.length === 0 && (
        <NothingYet icon={<IconForms size={28} stroke={1.5} />} title="No forms yet" actions={create}>
          A form has an address of its own that a page posts to. Create one for each form of your website.
        </NothingYet>
      )}
      {forms.data !== undefined && forms.data.length > 0 && (
        <>
          <Group justify="flex-end" mb="sm">
            {create}
          </Group>
          <Table.ScrollContainer type="native" minWidth={300} className="panel">
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Form</Table.Th>
                  <Table.Th visibleFrom="md">Endpoint</Table.Th>
                  <Table.Th>Mode</Table.Th>
                  <Table.Th ta="right">Submissions</Table.Th>
                  <Table.Th ta="right" visibleFrom="md">
                    Created
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {forms.data.map((form, index) => (
                  <Table.Tr key={form.id} className="row" data-active={index === active} data-row={index}>
                    <Table.Td fw={500}>
                      <Anchor
                        component={Link}
                        href={`/forms/${form.id}`}
                        className="row-link"
                        inherit
                        c="inherit"
                      >
                        <Untrusted>{form.name}</Untrusted>
                      </Anchor>
                    </Table.Td>
                    <Table.Td visibleFrom="md">
                      <Group gap={4} wrap="nowrap" className="above" w="fit-content">
                        <Text span inherit c="dimmed" className="mono">
                          /f/{form.public_id}
                        </Text>
                        <CopyButton value={form.endpoint} label="Copy endpoint" />
                      </Group>
                    </Table.Td>
                    <Table.Td>
                      <FormMode isActive={form.is_active} mode={form.validation_mode} />
                    </Table.Td>
                    <Table.Td ta="right">{formatCount(form.submissions_count)}</Table.Td>
                    <Table.Td ta="right" c="dimmed" visibleFrom="md">
                      <RelativeTime iso={form.created_at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </>
      )}
    </>
  );
}
