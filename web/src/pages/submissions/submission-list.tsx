/** The submissions of a form, a project or the account: they come by themselves, and are worked through like mail. */

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
  /** What the way back is called. */
  readonly label: string;
  /** Whether there is anybody to deliver to. */
  readonly hasDeliveries: boolean;
  /** For the export; null where there are several forms. */
  readonly form: FormFull | null;
  /** Of all forms, where there are several. */
  readonly formNames: ReadonlyMap<string, string> | null;
  /** What is shown before anything has come; null: something has, or may have. */
  readonly nothing: ReactNode;
}

interface ExportMenuProps {
  readonly form: FormFull;
  /** The one that the list shows. */
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

/** What is caught before anybody sees it is elsewhere. */
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

/** The filter, from the address and back to it. */
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

/** The same object for as long as it says the same: else all rows would be drawn again for a star on one. */
function useSame<Value>(value: Value): Value {
  const text = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for it
  return useMemo(() => value, [text]);
}

/** As many rows say which fields a list has: what comes later changes its columns no more. */
const enoughRows = 20;

/** What the rows of a list said as soon as there were enough of them. */
function useSettled<Value>(value: Value, list: string, isEnough: boolean): Value {
  const [settled, settle] = useState({ value, list, isEnough });
  const isOpen = settled.list !== list || !settled.isEnough;
  if (isOpen && (settled.value !== value || settled.list !== list)) settle({ value, list, isEnough });
  return isOpen ? value : settled.value;
}

/** Which columns the rows need. */
function useShownColumns(rows: readonly Submission[], props: SubmissionListProps, address: string) {
  const { scope } = props;
  const fields = useMemo(() => fieldsOf(rows.slice(0, 100)), [rows]);
  const settled = useSettled(fields, address, rows.length >= enoughRows);
  const hasForms = props.formNames !== null;
  // Forms have different fields: a submission of any of them says in one cell what it is, as mail does.
  const most = hasForms ? 0 : defaultColumns;
  const choice = useColumns(scope.formId ?? scope.projectId ?? 'account', settled, most);
  const facts = useMemo(
    () => ({
      hasFiles: rows.some(({ files }) => files.length > 0),
      hasLabels: rows.some(({ labels, assignee_id }) => (labels?.length ?? 0) > 0 || Boolean(assignee_id)),
      // A webhook is known at once; other destinations show by what was sent to them.
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
        {(isFiltered(params) || params.sort !== null) && (
          <May to="inbox.manage">
            <SaveView scope={scope} params={params} />
          </May>
        )}
        {params.folder === 'trash' && rows.length > 0 && (
          <May to="submissions.manage">
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
