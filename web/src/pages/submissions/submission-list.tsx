/** The submissions of a form, a project or the account: they come by themselves, and are worked through like mail. */
import { Button, Group, Menu, Text } from '@mantine/core';
import { IconDownload, IconInbox, IconSearchOff } from '@tabler/icons-react';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useInboxActions } from '../../inbox/actions.js';
import { useAssigneeNames } from '../../inbox/assignee-picker.js';
import {
  type FilterParams,
  filterOf,
  isFiltered,
  isNarrowed,
  noFilter,
  readParams,
  writeParams,
} from '../../inbox/filter-params.js';
import { pageOfRow } from '../../inbox/held-lists.js';
import { undoLast } from '../../inbox/undo.js';
import type { Scope } from '../../queries.js';
import { useKeys, useListKeys } from '../../ui/keyboard.js';
import { LoadingRows } from '../../ui/loading.js';
import { NothingYet } from '../../ui/nothing-yet.js';
import { ProblemState } from '../../ui/problem-state.js';
import { SelectAll, useSelection } from '../../ui/selection.js';
import type { FormFull, Submission } from '../../wire.js';
import { ColumnChoice, useColumns } from './column-choice.js';
import { fieldsOf } from './columns.js';
import { EmptyTrash } from './empty-trash.js';
import { ExportDialog, type ExportKind } from './export-dialog.js';
import { ListTable } from './list-table.js';
import { ListToolbar } from './list-toolbar.js';
import { emptyFolder, nothingFits, shownWords } from './list-words.js';
import { wordsOf } from './matches.js';
import { NewRows, useSlidingIn } from './new-rows.js';
import { rowKeys } from './row-keys.js';
import { SaveView } from './saved-views.js';
import { SelectionActions } from './selection-actions.js';
import {
  useForgetSubmissions,
  useNearPages,
  useNewSubmissions,
  useNewVisit,
  useSubmissionList,
} from './submission-list-query.js';
import { rememberWay } from './way.js';
import { useWindowedRows } from './windowed-rows.js';

/** Rows before the end of what was read where the next page is asked for. */
const readAhead = 60;

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

function ExportMenu({ form }: { readonly form: FormFull }) {
  const [kind, setKind] = useState<ExportKind | null>(null);
  return (
    <>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={16} stroke={1.6} />} fw={400}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>All submissions of the form</Menu.Label>
          <Menu.Item onClick={() => setKind('csv')}>CSV, for spreadsheets</Menu.Item>
          <Menu.Item onClick={() => setKind('excel')}>CSV, for Excel</Menu.Item>
          <Menu.Item onClick={() => setKind('jsonl')}>JSON lines, for programs</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ExportDialog form={form} kind={kind} onClose={() => setKind(null)} />
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
      title="No matches"
      actions={
        <Button variant="default" onClick={() => onChange({ ...noFilter, folder: params.folder })}>
          Show all
        </Button>
      }
    >
      {nothingFits(params)}
    </NothingYet>
  ) : (
    <NothingYet icon={<IconInbox size={28} stroke={1.5} />} title="Nothing here">
      {emptyFolder[params.folder]}
    </NothingYet>
  );

/** The filter, from the address and back to it. */
function useParams() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const params = useMemo(() => readParams(new URLSearchParams(search)), [search]);
  const filter = useMemo(() => filterOf(params), [params]);
  const change = (next: FilterParams) => {
    const wanted = writeParams(next);
    navigate(wanted.size > 0 ? `${path}?${wanted}` : path, { replace: true });
  };
  return { params, filter, change, address: search === '' ? path : `${path}?${search}`, navigate };
}

/** Which columns the rows need. */
function useShownColumns(rows: readonly Submission[], props: SubmissionListProps) {
  const { scope } = props;
  const fields = useMemo(() => fieldsOf(rows.slice(0, 100)), [rows]);
  const choice = useColumns(scope.formId ?? scope.projectId ?? 'account', fields);
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
  const hasForms = props.formNames !== null;
  const columns = useMemo(
    () => ({ ...facts, fields: chosen, hasForms, hasDeliveries }),
    [facts, chosen, hasForms, hasDeliveries],
  );
  return { fields, choice, columns };
}

export function SubmissionList(props: SubmissionListProps) {
  const { scope, label, form, formNames, nothing } = props;
  const { params, filter, change, address, navigate } = useParams();
  useNewVisit(scope, filter);
  const { query, rows } = useSubmissionList(scope, filter);
  const fresh = useNewSubmissions(scope, filter, rows);
  const forget = useForgetSubmissions();
  const actions = useInboxActions();
  const assigneeName = useAssigneeNames();
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const selection = useSelection(ids);
  const chosenRows = useMemo(() => {
    const chosen = new Set(selection.chosen);
    return chosen.size === 0 ? [] : rows.filter(({ id }) => chosen.has(id));
  }, [rows, selection.chosen]);
  const { fields, choice, columns } = useShownColumns(rows, props);
  const words = useMemo(() => wordsOf(params.q), [params.q]);
  const [isLabelling, setLabelling] = useState(false);
  const windowed = useWindowedRows(rows.length);
  useNearPages({ scope, filter, pages: query.data, first: windowed.first, last: windowed.last });

  const open = useCallback(
    ({ id, is_read }: Submission) => {
      rememberWay({ back: address, label, list: { owner: scope, filter } });
      if (is_read === false) void actions.open(id);
    },
    [address, label, scope, filter, actions],
  );
  const { select } = selection;
  const labelRow = useCallback(
    (id: string) => {
      select(id);
      setLabelling(true);
    },
    [select],
  );
  const { active } = useListKeys<Submission>({
    items: rows,
    onOpen: (submission) => {
      open(submission);
      navigate(`/submissions/${submission.id}`);
    },
    onBack: selection.clear,
    reveal: windowed.reveal,
    also: rowKeys({ chosenRows, selection, actions, onLabel: labelRow }),
  });
  useKeys({ z: undoLast });
  const slidIn = useSlidingIn(fresh, selection.chosen.length === 0 && active < 0);

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const isNearEnd = windowed.last >= rows.length - readAhead;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);

  const isEmpty = query.isSuccess && rows.length === 0 && !hasNextPage;
  const isLight = (index: number): boolean =>
    query.data?.pages[pageOfRow(query.data, index)]?.isLight === true;
  if (isEmpty && nothing !== null && !isFiltered(params)) return nothing;
  return (
    <>
      <ListToolbar params={params} onChange={change} hasDeliveries={columns.hasDeliveries}>
        {(isFiltered(params) || params.sort !== null) && <SaveView scope={scope} params={params} />}
        {params.folder === 'trash' && rows.length > 0 && <EmptyTrash scope={scope} onDeleted={forget} />}
        <ColumnChoice
          fields={fields}
          columns={columns.fields}
          isChosen={choice.isChosen}
          onChoose={choice.choose}
        />
        {form !== null && <ExportMenu form={form} />}
      </ListToolbar>
      <NewRows fresh={fresh} />
      {query.isPending && <LoadingRows rows={12} />}
      {query.isError && rows.length === 0 && (
        <ProblemState error={query.error} retry={() => void query.refetch()} />
      )}
      {isEmpty && <NoRows params={params} onChange={change} />}
      {rows.length > 0 && (
        <ListTable
          rows={rows}
          isLight={isLight}
          total={hasNextPage ? null : rows.length}
          windowed={windowed}
          columns={columns}
          params={params}
          onChange={change}
          words={words}
          active={active}
          slidIn={slidIn}
          selection={selection}
          formNames={formNames}
          assigneeName={assigneeName}
          actions={actions}
          onLabel={labelRow}
          onOpen={open}
        >
          <SelectAll selection={selection}>
            <SelectionActions
              rows={chosenRows}
              actions={actions}
              hasDeliveries={columns.hasDeliveries}
              isLabelling={isLabelling}
              onLabelling={setLabelling}
              onDeleted={forget}
              onDone={selection.clear}
            />
          </SelectAll>
        </ListTable>
      )}
      {rows.length > 0 && (
        <Group justify="space-between" mt="sm" mih={36}>
          <Text size="xs" c="dimmed">
            {shownWords(rows.length, { count: fresh.ids.length, isMore: fresh.isMore }, hasNextPage)}
            {' · '}
            {fresh.isLive ? 'live' : 'checked every 10 s'}
          </Text>
          {query.isError && (
            <Text size="xs" c="var(--mantine-color-error)" role="alert">
              {query.error.message}
            </Text>
          )}
          {isFetchNextPageError && (
            <Button variant="default" onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          )}
        </Group>
      )}
    </>
  );
}
