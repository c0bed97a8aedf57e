/** The rows of a list at work: walked through, selected, changed, and read on as one scrolls. Apart from the filters, which no key draws anew. */
import { Button, Group, Text } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
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
import { SelectionActions } from './selection-actions.js';
import {
  useNearPages,
  type useNewSubmissions,
  useReadingOn,
  type useSubmissionList,
} from './submission-list-query.js';
import type { ShownColumns } from './submission-row.js';
import { rememberWay } from './way.js';
import { useWindowedRows } from './windowed-rows.js';

/** Rows before the end of what was read where the next page is asked for. */
const readAhead = 60;

type Query = ReturnType<typeof useSubmissionList>['query'];

interface WorkingListProps {
  readonly scope: Scope;
  /** Where the way back from a submission leads, and what it is called. */
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

/** What is selected. */
function useChosen(rows: readonly Submission[]) {
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const selection = useSelection(ids);
  const chosenRows = useMemo(() => {
    const chosen = new Set(selection.chosen);
    return chosen.size === 0 ? [] : rows.filter(({ id }) => chosen.has(id));
  }, [rows, selection.chosen]);
  return { selection, chosenRows };
}

/** The choice of labels, opened by its button or for a row, which is selected for as long as it is open. */
function useLabelling({ chosen, select, toggle }: Selection) {
  const [opened, setOpened] = useState<{ readonly rowId: string | null } | null>(null);
  const isNoneChosen = chosen.length === 0;
  const labelRow = useCallback(
    (id: string) => {
      select(id);
      setOpened({ rowId: isNoneChosen ? id : null });
    },
    [select, isNoneChosen],
  );
  const setLabelling = (isOpen: boolean) => {
    if (!isOpen && opened !== null && opened.rowId !== null) toggle(opened.rowId);
    setOpened(isOpen ? { rowId: null } : null);
  };
  return { isLabelling: opened !== null, setLabelling, labelRow };
}

export function WorkingList(props: WorkingListProps) {
  const { scope, place, params, filter, query, rows, fresh, columns } = props;
  const { address, label } = place;
  const [, navigate] = useLocation();
  const actions = useInboxActions();
  const assigneeName = useAssigneeNames();
  const { selection, chosenRows } = useChosen(rows);
  const { isLabelling, setLabelling, labelRow } = useLabelling(selection);
  const words = useMemo(() => wordsOf(params.q), [params.q]);
  const windowed = useWindowedRows(rows.length);
  useNearPages({ scope, filter, pages: query.data, first: windowed.first, last: windowed.last });
  useReadingOn(query, windowed.last >= rows.length - readAhead);
  const open = useCallback(
    ({ id, is_read }: Submission) => {
      rememberWay({ back: address, label, list: { owner: scope, filter } });
      if (is_read === false) void actions.open(id);
    },
    [address, label, scope, filter, actions],
  );
  const { active, goTo, goBack } = useListKeys<Submission>({
    items: rows,
    onOpen: (submission) => {
      open(submission);
      navigate(`/submissions/${submission.id}`);
    },
    onBack: selection.clear,
    reveal: windowed.reveal,
    also: rowKeys({ chosenRows, selection, actions, onLabel: labelRow }),
  });
  useKeys({
    z: () => {
      const [first] = undoLast();
      if (first !== undefined) goTo(first);
    },
  });
  const slidIn = useSlidingIn(fresh, selection.chosen.length === 0 && active < 0);
  const isLight = (index: number): boolean =>
    query.data?.pages[pageOfRow(query.data, index)]?.isLight === true;
  return (
    <>
      <ListTable
        rows={rows}
        isLight={isLight}
        total={query.hasNextPage ? null : rows.length}
        windowed={windowed}
        columns={columns}
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
        onOpen={open}
      >
        <SelectAll selection={selection}>
          <SelectionActions
            rows={chosenRows}
            actions={actions}
            hasDeliveries={columns.hasDeliveries}
            isLabelling={isLabelling}
            onLabelling={(isOpen) => {
              setLabelling(isOpen);
              if (!isOpen) goBack();
            }}
            onDeleted={props.onDeleted}
            onDone={selection.clear}
          />
        </SelectAll>
      </ListTable>
      <Foot query={query} rows={rows} fresh={fresh} />
    </>
  );
}
