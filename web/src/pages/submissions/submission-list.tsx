/** The submissions of a form or a project: they come by themselves, can be searched, chosen and deleted. */
import { Button, Center, Group, Menu, Table, Text, UnstyledButton } from '@mantine/core';
import { IconDownload, IconSearchOff, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Owner } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { useListKeys } from '../../ui/keyboard.js';
import { LoadingRows } from '../../ui/loading.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { ProblemState } from '../../ui/problem-state.js';
import { SelectAll, useSelection } from '../../ui/selection.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { FormFull, Submission } from '../../wire.js';
import { RetryButton } from '../deliveries/retry-selection.js';
import { ColumnChoice, useColumns } from './column-choice.js';
import { fieldsOf } from './columns.js';
import { askToDelete } from './delete-submissions.js';
import { ExportDialog, type ExportKind } from './export-dialog.js';
import { type FilterParams, filterOf, isFiltered, readParams, writeParams } from './filter-params.js';
import { ListToolbar } from './list-toolbar.js';
import { newerWords, nothingFits, shownWords } from './list-words.js';
import { useForgetSubmissions, useNewSubmissions, useSubmissionList } from './submission-list-query.js';
import { SubmissionRow } from './submission-row.js';
import { rememberWay } from './way.js';

interface SubmissionListProps {
  readonly owner: Owner;
  /** What the way back is called. */
  readonly label: string;
  /** Whether there is anybody to deliver to. */
  readonly hasDeliveries: boolean;
  /** For the export; null in the list of a project. */
  readonly form: FormFull | null;
  /** Of all forms of a project. */
  readonly formNames: ReadonlyMap<string, string> | null;
  /** What stands there before anything has come. */
  readonly nothing: ReactNode;
}

export function SubmissionList(props: SubmissionListProps) {
  const { owner, label, form, formNames, nothing } = props;
  const [path, navigate] = useLocation();
  const search = useSearch();
  const params = useMemo(() => readParams(new URLSearchParams(search)), [search]);
  const filter = useMemo(() => filterOf(params), [params]);
  const { query, rows } = useSubmissionList(owner, filter);
  const fresh = useNewSubmissions(owner, filter, rows);
  const forget = useForgetSubmissions();
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const selection = useSelection(ids);
  const [exported, setExported] = useState<ExportKind | null>(null);
  const fields = useMemo(() => fieldsOf(rows.slice(0, 100)), [rows]);
  const { columns, isChosen, choose } = useColumns(
    'formId' in owner ? owner.formId : owner.projectId,
    fields,
  );

  const change = (next: FilterParams) => {
    const wanted = writeParams(next);
    navigate(wanted.size > 0 ? `${path}?${wanted}` : path, { replace: true });
  };
  const back = search === '' ? path : `${path}?${search}`;
  const remember = useCallback(
    () => rememberWay({ back, label, list: { owner, filter } }),
    [back, label, owner, filter],
  );
  const { active } = useListKeys<Submission>({
    items: rows,
    onOpen: ({ id }) => {
      remember();
      navigate(`/submissions/${id}`);
    },
    onBack: selection.clear,
    also: { x: ({ id }) => selection.toggle(id) },
  });

  // A webhook is known at once; other destinations show by what was sent to them.
  const hasDeliveries = props.hasDeliveries || rows.some(({ delivery_state }) => Boolean(delivery_state));
  const hasFiles = rows.some(({ files }) => files.length > 0);
  const isEmpty = query.isSuccess && rows.length === 0 && !query.hasNextPage;
  const heads = columns.length === 0 ? ['Submission'] : columns;
  if (isEmpty && !isFiltered(params)) return nothing;
  return (
    <>
      <ListToolbar params={params} onChange={change} hasDeliveries={hasDeliveries}>
        <ColumnChoice fields={fields} columns={columns} isChosen={isChosen} onChoose={choose} />
        {form !== null && (
          <Menu position="bottom-end" width={200}>
            <Menu.Target>
              <Button variant="default" leftSection={<IconDownload size={16} stroke={1.6} />} fw={400}>
                Export
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>All submissions of the form</Menu.Label>
              <Menu.Item onClick={() => setExported('csv')}>CSV, for spreadsheets</Menu.Item>
              <Menu.Item onClick={() => setExported('excel')}>CSV, for Excel</Menu.Item>
              <Menu.Item onClick={() => setExported('jsonl')}>JSON lines, for programs</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </ListToolbar>
      {form !== null && <ExportDialog form={form} kind={exported} onClose={() => setExported(null)} />}
      <div className="new-place" role="status">
        {fresh.count > 0 && (
          <UnstyledButton
            className="new-bar"
            onClick={() => {
              void fresh.show();
              window.scrollTo({ top: 0 });
            }}
          >
            {newerWords(fresh)} new
          </UnstyledButton>
        )}
      </div>
      {query.isPending && <LoadingRows rows={12} />}
      {query.isError && rows.length === 0 && (
        <ProblemState error={query.error} retry={() => void query.refetch()} />
      )}
      {isEmpty && (
        <NothingYet
          icon={<IconSearchOff size={28} stroke={1.5} />}
          title="No matches"
          actions={
            <Button variant="default" onClick={() => change({ q: '', from: '', to: '', state: null })}>
              Show all
            </Button>
          }
        >
          {nothingFits(params)}
        </NothingYet>
      )}
      {rows.length > 0 && (
        <div className="panel bearing">
          <Table className="dense" verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr h={36}>
                <Table.Th w={38} pr={0}>
                  <SelectAll selection={selection}>
                    {hasDeliveries && (
                      <RetryButton name="submission_ids" ids={selection.chosen} onDone={selection.clear} />
                    )}
                    <Button
                      size="compact-xs"
                      variant="light"
                      color="red"
                      leftSection={<IconTrash size={13} />}
                      onClick={() => askToDelete({ ids: selection.chosen, onDeleted: forget })}
                    >
                      Delete
                    </Button>
                  </SelectAll>
                </Table.Th>
                {heads.map((column, place) => (
                  <Table.Th
                    key={column}
                    {...(place > 0 && { visibleFrom: 'sm' })}
                    {...(place < heads.length - 1 && { className: 'short-column' })}
                  >
                    <Untrusted>{beginning(column, 60)}</Untrusted>
                  </Table.Th>
                ))}
                {formNames !== null && <Table.Th visibleFrom="sm">Form</Table.Th>}
                {hasFiles && (
                  <Table.Th visibleFrom="sm" className="files-column">
                    Files
                  </Table.Th>
                )}
                {hasDeliveries && <Table.Th className="state-column">Delivery</Table.Th>}
                <Table.Th className="time-column" ta="right">
                  Received
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((submission, index) => (
                <SubmissionRow
                  key={submission.id}
                  submission={submission}
                  index={index}
                  columns={columns}
                  isActive={index === active}
                  isSelected={selection.has(submission.id)}
                  hasFiles={hasFiles}
                  hasDeliveries={hasDeliveries}
                  formName={formNames === null ? null : (formNames.get(submission.form_id) ?? '')}
                  onSelect={selection.toggle}
                  onOpen={remember}
                />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {rows.length > 0 && (
        <Group justify="space-between" mt="sm" mih={36}>
          <Text size="xs" c="dimmed">
            {shownWords(rows.length, fresh, query.hasNextPage)}
            {' · '}
            {fresh.isLive ? 'live' : 'checked every 10 s'}
          </Text>
          {query.isError && (
            <Text size="xs" c="var(--mantine-color-error)" role="alert">
              {query.error.message}
            </Text>
          )}
          {query.hasNextPage && (
            <Center>
              <Button
                variant="default"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                Show more
              </Button>
            </Center>
          )}
        </Group>
      )}
    </>
  );
}
