/** The interactive rows of a list: navigation, selection, loading on scroll. Separate from the filters, which no key press re-renders. */
import { Button, Group, Text } from '@mantine/core';
import { type MouseEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useInboxActions } from '../../inbox/actions.js';
import { useAssigneeNames } from '../../inbox/assignee-picker.js';
import type { FilterParams, SubmissionFilter } from '../../inbox/filter-params.js';
import { pageOfRow } from '../../inbox/held-lists.js';
import { undoLast } from '../../inbox/undo.js';
import type { Scope } from '../../queries.js';
import { useKeys, useListKeys } from '../../ui/keyboard.js';
import { SelectAll, type Selection, useSelection } from '../../ui/selection.js';
import type { Submission } from '../../wire.js';
import * as list from '../../words/submissions.js';
import { ListTable } from './list-table.js';
import { shownWords } from './list-words.js';
import { wordsOf } from './matches.js';
import { useSlidingIn } from './new-rows.js';
import { rowKeys } from './row-keys.js';
import { type Choosing, SelectionActions } from './selection-actions.js';
import { SplitView, useBeside, useFollowing } from './split-view.js';
import {
  useNearPages,
  type useNewSubmissions,
  useReadingOn,
  type useSubmissionList,
} from './submission-list-query.js';
import type { ShownColumns } from './submission-row.js';
import { rememberWay } from './way.js';
import { useWindowedRows } from './windowed-rows.js';

/** The next page is requested this many rows before the end of the loaded ones. */
const readAhead = 60;

type Query = ReturnType<typeof useSubmissionList>['query'];

interface WorkingListProps {
  readonly scope: Scope;
  /** The list's path and label, for the way back from a submission. */
  readonly place: { readonly address: string; readonly label: string };
  readonly params: FilterParams;
  readonly filter: SubmissionFilter;
  readonly onChange: (params: FilterParams) => void;
  readonly query: Query;
  readonly rows: readonly Submission[];
  readonly fresh: ReturnType<typeof useNewSubmissions>;
  readonly columns: ShownColumns;
  readonly formNames: ReadonlyMap<string, string> | null;
  readonly onDeleted: (ids: readonly string[]) => void;
}

function Foot({ query, rows, fresh }: Pick<WorkingListProps, 'query' | 'rows' | 'fresh'>) {
  const newer = { count: fresh.ids.length, isMore: fresh.isMore };
  return (
    <Group justify="space-between" mt="sm" mih={36}>
      <Text size="xs" c="dimmed">
        {shownWords(rows.length, newer, query.hasNextPage)}
        {' · '}
        {fresh.isLive ? list.live : list.checkedRegularly}
      </Text>
      {query.isError && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {query.error.message}
        </Text>
      )}
      {query.isFetchNextPageError && (
        <Button variant="default" onClick={() => void query.fetchNextPage()}>
          {list.showMore}
        </Button>
      )}
    </Group>
  );
}

/** The selection and its rows. */
function useChosen(rows: readonly Submission[]) {
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const selection = useSelection(ids);
  const chosenRows = useMemo(() => {
    const chosen = new Set(selection.chosen);
    return chosen.size === 0 ? [] : rows.filter(({ id }) => chosen.has(id));
  }, [rows, selection.chosen]);
  return { selection, chosenRows };
}

/** The label or assignee picker, opened by its button or for a row. That row is selected while the picker is open. */
function useChoosing({ chosen, select, toggle }: Selection) {
  const [opened, setOpened] = useState<{ readonly what: Choosing; readonly rowId: string | null } | null>(
    null,
  );
  const count = useRef(0);
  useLayoutEffect(() => {
    count.current = chosen.length;
  });
  // Stable while the list exists: otherwise selecting the first row would re-render every row.
  const chooseFor = useCallback(
    (what: Choosing, id: string) => {
      select(id);
      setOpened({ what, rowId: count.current === 0 ? id : null });
    },
    [select],
  );
  const setChoosing = (what: Choosing | null) => {
    if (what === null && opened !== null && opened.rowId !== null) toggle(opened.rowId);
    setOpened(what === null ? null : { what, rowId: null });
  };
  const labelRow = useCallback((id: string) => chooseFor('labels', id), [chooseFor]);
  return { choosing: opened?.what ?? null, setChoosing, chooseFor, labelRow };
}

/** Beside a submission there is room for the title, but not for columns. */
const withoutFields = (columns: ShownColumns): ShownColumns => ({
  ...columns,
  fields: [],
  hasForms: false,
  hasFiles: false,
});

export function WorkingList(props: WorkingListProps) {
  const { scope, place, params, filter, query, rows, fresh, columns } = props;
  const { address, label } = place;
  const [, navigate] = useLocation();
  const actions = useInboxActions();
  const assigneeName = useAssigneeNames();
  const { selection, chosenRows } = useChosen(rows);
  const { choosing, setChoosing, chooseFor, labelRow } = useChoosing(selection);
  const words = useMemo(() => wordsOf(params.q), [params.q]);
  const windowed = useWindowedRows(rows.length);
  useNearPages({ scope, filter, pages: query.data, first: windowed.first, last: windowed.last });
  useReadingOn(query, windowed.last >= rows.length - readAhead);
  const open = useCallback(
    (submission: Submission) => {
      rememberWay({ back: address, label, list: { owner: scope, filter } });
      if (submission.is_read === false) void actions.open(submission);
    },
    [address, label, scope, filter, actions],
  );
  const beside = useBeside();
  const { isWide } = beside;
  const click = useCallback(
    (submission: Submission, event: MouseEvent) => {
      // On a wide screen, a click focuses its row, which shows it beside the list. A double click, and Enter (detail 0), open the page.
      if (isWide && event.detail === 1) event.preventDefault();
      else open(submission);
    },
    [isWide, open],
  );
  const { active, goTo, goBack, letGo } = useListKeys<Submission>({
    items: rows,
    onOpen: (submission) => {
      open(submission);
      navigate(`/submissions/${submission.id}`);
    },
    onBack: () => {
      selection.clear();
      beside.close();
    },
    reveal: windowed.reveal,
    also: rowKeys({ chosenRows, selection, actions, onChoose: chooseFor }),
  });
  useKeys({
    z: () => {
      const [first] = undoLast();
      if (first !== undefined) goTo(first);
    },
  });
  useFollowing(beside, rows[active]?.id ?? null, goTo);
  const isSplit = beside.shownId !== null;
  const shownColumns = useMemo(() => (isSplit ? withoutFields(columns) : columns), [isSplit, columns]);
  const slidIn = useSlidingIn(fresh, selection.chosen.length === 0 && active < 0);
  const isLight = (index: number): boolean =>
    query.data?.pages[pageOfRow(query.data, index)]?.isLight === true;
  return (
    <SplitView
      beside={beside}
      onOpen={open}
      onClose={() => {
        letGo();
        beside.close();
      }}
      onDeleted={props.onDeleted}
    >
      <ListTable
        rows={rows}
        isLight={isLight}
        total={query.hasNextPage ? null : rows.length}
        windowed={windowed}
        columns={shownColumns}
        params={params}
        onChange={props.onChange}
        words={words}
        active={active}
        slidIn={slidIn}
        selection={selection}
        formNames={props.formNames}
        assigneeName={assigneeName}
        actions={actions}
        onLabel={labelRow}
        onOpen={click}
      >
        <SelectAll selection={selection}>
          <SelectionActions
            rows={chosenRows}
            actions={actions}
            hasDeliveries={columns.hasDeliveries}
            choosing={choosing}
            onChoosing={(what) => {
              setChoosing(what);
              if (what === null) goBack();
            }}
            onDeleted={props.onDeleted}
            onDone={selection.clear}
          />
        </SelectAll>
      </ListTable>
      <Foot query={query} rows={rows} fresh={fresh} />
    </SplitView>
  );
}
