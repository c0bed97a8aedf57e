/** The submissions of a form, a project or the account. Updates live, and is worked through like a mailbox. */

import { Anchor, Button, Menu, Text } from '@mantine/core';
import { IconDownload, IconInbox, IconSearchOff } from '@tabler/icons-react';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import {
  type FilterParams,
  filterOf,
  isFiltered,
  isNarrowed,
  noFilter,
  readParams,
  type ShownFolder,
  writeParams,
} from '../../inbox/filter-params.js';
import type { Scope } from '../../queries.js';
import { useIsOfAccount } from '../../session.js';
import { LoadingRows } from '../../ui/loading.js';
import { May } from '../../ui/may.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { ProblemState } from '../../ui/problem-state.js';
import type { FormFull, Submission } from '../../wire.js';
import * as words from '../../words/submissions.js';
import { ColumnChoice, useColumns } from './column-choice.js';
import { defaultColumns, fieldsOf, labelsOf, numbersIn } from './columns.js';
import { EmptyTrash } from './empty-trash.js';
import { ExportDialog, type ExportKind } from './export-dialog.js';
import { ListToolbar } from './list-toolbar.js';
import { emptyFolder, folderNames, nothingFits } from './list-words.js';
import { NewRows } from './new-rows.js';
import { SaveView } from './saved-views.js';
import {
  useForgetSubmissions,
  useNewSubmissions,
  useNewVisit,
  useReadingOn,
  useSubmissionList,
} from './submission-list-query.js';
import { WorkingList } from './working-list.js';

interface SubmissionListProps {
  readonly scope: Scope;
  /** The label of the way back. */
  readonly label: string;
  /** Whether there is any destination. */
  readonly hasDeliveries: boolean;
  /** For the export; null: several forms. */
  readonly form: FormFull | null;
  /** The names of all forms; null: a single form. */
  readonly formNames: ReadonlyMap<string, string> | null;
  /** Shown before the first submission; null: there are some, or may be. */
  readonly nothing: ReactNode;
}

interface ExportMenuProps {
  readonly form: FormFull;
  /** The folder shown in the list. */
  readonly folder: ShownFolder;
}

function ExportMenu({ form, folder }: ExportMenuProps) {
  const [kind, setKind] = useState<ExportKind | null>(null);
  const [isFolder, setFolder] = useState(false);
  const start = (chosen: ExportKind, isOnlyFolder = false) => {
    setFolder(isOnlyFolder);
    setKind(chosen);
  };
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={16} stroke={1.6} />} fw={400}>
            {words.exportAll}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{words.exportAllDescription}</Menu.Label>
          <Menu.Item onClick={() => start('csv')}>{words.csvForSpreadsheets}</Menu.Item>
          <Menu.Item onClick={() => start('excel')}>{words.csvForExcel}</Menu.Item>
          <Menu.Item onClick={() => start('jsonl')}>{words.jsonLinesForPrograms}</Menu.Item>
          {folder !== 'kept' && (
            <>
              <Menu.Divider />
              <Menu.Item onClick={() => start('csv', true)}>
                {words.csvOfFolder(folderNames[folder])}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <ExportDialog form={form} kind={kind} folder={isFolder ? folder : null} onClose={() => setKind(null)} />
    </>
  );
}

interface NoRowsProps {
  readonly params: FilterParams;
  readonly onChange: (params: FilterParams) => void;
}

const NoRows = ({ params, onChange }: NoRowsProps) =>
  isNarrowed(params) ? (
    <NothingYet
      icon={<IconSearchOff size={28} stroke={1.5} />}
      title={words.noMatches}
      actions={
        <Button variant="default" onClick={() => onChange({ ...noFilter, folder: params.folder })}>
          {words.showAll}
        </Button>
      }
    >
      {nothingFits(params)}
    </NothingYet>
  ) : (
    <NothingYet icon={<IconInbox size={28} stroke={1.5} />} title={words.nothingHere}>
      {emptyFolder[params.folder]}
    </NothingYet>
  );

/** Links to the quarantine, where honeypot submissions are. */
const AboutSpam = ({ form }: Pick<SubmissionListProps, 'form'>) => (
  <Text size="sm" c="dimmed" mb="sm">
    {words.aboutSpam(
      <Anchor
        component={Link}
        href={form === null ? '/quarantine' : `/forms/${form.id}/quarantine`}
        inherit
        underline="always"
      >
        {words.theQuarantine}
      </Anchor>,
    )}
  </Text>
);

/** The filter, read from and written to the URL. */
function useParams() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const params = useMemo(() => readParams(new URLSearchParams(search)), [search]);
  const filter = useMemo(() => filterOf(params), [params]);
  const change = useCallback(
    (next: FilterParams) => {
      const wanted = writeParams(next);
      navigate(wanted.size > 0 ? `${path}?${wanted}` : path, { replace: true });
    },
    [path, navigate],
  );
  return { params, filter, change, address: search === '' ? path : `${path}?${search}` };
}

/** Returns the same object while its content is equal. Otherwise starring one row would re-render all of them. */
function useSame<Value>(value: Value): Value {
  const text = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for it
  return useMemo(() => value, [text]);
}

/** After this many rows, the fields are settled: later rows do not change the columns. */
const enoughRows = 20;

/** The value as it was when there were enough rows. */
function useSettled<Value>(value: Value, list: string, isEnough: boolean): Value {
  const [settled, settle] = useState({ value, list, isEnough });
  const isOpen = settled.list !== list || !settled.isEnough;
  if (isOpen && (settled.value !== value || settled.list !== list)) settle({ value, list, isEnough });
  return isOpen ? value : settled.value;
}

/** The columns that the rows need. */
function useShownColumns(rows: readonly Submission[], props: SubmissionListProps, address: string) {
  const { scope } = props;
  const fields = useMemo(() => fieldsOf(rows.slice(0, 100)), [rows]);
  const settled = useSettled(fields, address, rows.length >= enoughRows);
  const hasForms = props.formNames !== null;
  // Forms have different fields, so a mixed list shows each submission in one cell, as mail programs do.
  const most = hasForms ? 0 : defaultColumns;
  const choice = useColumns(scope.formId ?? scope.projectId ?? 'account', settled, most);
  const facts = useMemo(
    () => ({
      hasFiles: rows.some(({ files }) => files.length > 0),
      hasLabels: rows.some(({ labels, assignee_id }) => (labels?.length ?? 0) > 0 || Boolean(assignee_id)),
      // A webhook is known at once; other destinations show through deliveries made to them.
      hasDeliveries: rows.some(({ delivery_state }) => Boolean(delivery_state)),
    }),
    [rows],
  );
  const hasDeliveries = props.hasDeliveries || facts.hasDeliveries;
  const { columns: chosen } = choice;
  const numbers = useMemo(() => numbersIn(chosen, rows.slice(0, 100)), [chosen, rows]);
  const labels = labelsOf(props.form);
  const columns = useSame({ ...facts, fields: chosen, numbers, labels, hasForms, hasDeliveries });
  return { fields, choice, columns };
}

export function SubmissionList(props: SubmissionListProps) {
  const { scope, label, form, formNames, nothing } = props;
  const { params, filter, change, address } = useParams();
  useNewVisit(scope, filter);
  const { query, rows } = useSubmissionList(scope, filter);
  useReadingOn(query, rows.length === 0);
  const fresh = useNewSubmissions(scope, filter, rows);
  const forget = useForgetSubmissions();
  const { fields, choice, columns } = useShownColumns(rows, props, address);
  const projectId = form?.project_id ?? scope.projectId;
  // Only users of the whole account may save a view of all forms.
  const isOfAccount = useIsOfAccount();
  const isEmpty = query.isSuccess && rows.length === 0 && !query.hasNextPage;
  if (isEmpty && nothing !== null && !isFiltered(params)) return nothing;
  return (
    <>
      <ListToolbar
        params={params}
        onChange={change}
        hasDeliveries={columns.hasDeliveries}
        labels={columns.labels}
        formId={form?.id ?? null}
      >
        {(isFiltered(params) || params.sort !== null) && (projectId !== undefined || isOfAccount) && (
          <May to="inbox.manage" of={projectId}>
            <SaveView scope={scope} params={params} />
          </May>
        )}
        {params.folder === 'trash' && rows.length > 0 && (
          <May to="submissions.manage" of={projectId}>
            <EmptyTrash scope={scope} onDeleted={forget} />
          </May>
        )}
        <ColumnChoice
          fields={fields}
          formId={form?.id ?? null}
          labels={columns.labels}
          columns={columns.fields}
          isChosen={choice.isChosen}
          onChoose={choice.choose}
        />
        {form !== null && <ExportMenu form={form} folder={params.folder} />}
      </ListToolbar>
      {params.folder === 'spam' && <AboutSpam form={form} />}
      <NewRows fresh={fresh} />
      {(query.isPending || (rows.length === 0 && query.hasNextPage && !query.isError)) && (
        <LoadingRows rows={12} />
      )}
      {query.isError && rows.length === 0 && (
        <ProblemState error={query.error} retry={() => void query.refetch()} />
      )}
      {isEmpty && <NoRows params={params} onChange={change} />}
      {rows.length > 0 && (
        <WorkingList
          scope={scope}
          place={{ address, label }}
          params={params}
          filter={filter}
          onChange={change}
          query={query}
          rows={rows}
          fresh={fresh}
          columns={columns}
          formNames={formNames}
          onDeleted={forget}
        />
      )}
    </>
  );
}
