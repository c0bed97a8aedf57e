/** The column headers of a list and its rows near the viewport. */
import { Table } from '@mantine/core';
import { type MouseEvent, memo, type ReactNode } from 'react';
import type { InboxActions } from '../../inbox/actions.js';
import { type FilterParams, fieldColumn, receivedColumn } from '../../inbox/filter-params.js';
import { beginning } from '../../ui/bounded-text.js';
import type { Selection } from '../../ui/selection.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Submission } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submissions.js';
import { ColumnFilter, ColumnHead } from './column-head.js';
import { isWho, labelOf } from './columns.js';
import { LightRow, type ShownColumns, SubmissionRow } from './submission-row.js';
import type { WindowedRows } from './windowed-rows.js';

interface HeadsProps {
  readonly columns: ShownColumns;
  readonly params: FilterParams;
  readonly onChange: (params: FilterParams) => void;
}

/** More columns than this share the width equally, or the first one would get none. */
const mostShort = 5;

/** The last field is usually the longest, and so is the first one unless it is a name. */
const isShort = (fields: readonly string[], place: number): boolean =>
  fields.length <= mostShort &&
  place < fields.length - 1 &&
  (place > 0 || (fields.length > 2 && isWho(fields[0] ?? '')));

/** Memoized, so that moving the highlight does not re-render the headers. */
const Heads = memo(function Heads({ columns, params, onChange }: HeadsProps) {
  const { fields } = columns;
  return (
    <>
      {fields.length === 0 && <Table.Th>{words.submission}</Table.Th>}
      {fields.map((field, place) => (
        <ColumnHead
          key={field}
          by={fieldColumn(field)}
          params={params}
          onChange={onChange}
          isWide={place > 0}
          isRight={place > 0 && columns.numbers.includes(field)}
          className={isShort(fields, place) ? 'short-column' : ''}
          aside={
            <ColumnFilter
              name={field}
              filters={params.fields}
              onChange={(filters) => onChange({ ...params, fields: filters })}
            />
          }
        >
          <Untrusted>{beginning(labelOf(columns.labels, field), 60)}</Untrusted>
        </ColumnHead>
      ))}
      {columns.hasForms && (
        <Table.Th visibleFrom="sm" className="form-column">
          {common.form}
        </Table.Th>
      )}
      {columns.hasLabels && (
        <Table.Th visibleFrom="sm" className="labels-column">
          {words.labels}
        </Table.Th>
      )}
      {columns.hasFiles && (
        <Table.Th visibleFrom="sm" className="files-column">
          {words.files}
        </Table.Th>
      )}
      {columns.hasDeliveries && (
        <Table.Th className="state-column">
          <span className="wide-only">{words.delivery}</span>
        </Table.Th>
      )}
      <ColumnHead
        by={receivedColumn}
        params={params}
        onChange={onChange}
        isDefault
        isRight
        className="time-column"
      >
        {words.received}
      </ColumnHead>
      <Table.Td className="menu-column" />
    </>
  );
});

interface ListTableProps extends HeadsProps {
  /** The checkbox for all rows, and the actions for the selection. */
  readonly children: ReactNode;
  readonly rows: readonly Submission[];
  /** Whether the row's content is currently not in memory. */
  readonly isLight: (index: number) => boolean;
  /** Null: more than the loaded rows. */
  readonly total: number | null;
  readonly windowed: WindowedRows;
  readonly words: readonly string[];
  readonly active: number;
  /** Rows that have just arrived. */
  readonly slidIn: ReadonlySet<string>;
  readonly selection: Selection;
  readonly formNames: ReadonlyMap<string, string> | null;
  readonly assigneeName: (userId: string | null | undefined) => string | null;
  readonly actions: InboxActions;
  readonly onLabel: (id: string) => void;
  readonly onOpen: (submission: Submission, event: MouseEvent) => void;
}

/** One cell only: more would create extra columns. */
const Blank = ({ height }: { readonly height: number }) =>
  height > 0 && (
    <tr aria-hidden style={{ height }}>
      <td />
    </tr>
  );

export function ListTable(props: ListTableProps) {
  const { rows, total, windowed, columns, active, selection, formNames, isLight } = props;
  return (
    <div className="list">
      <Table
        className="dense submissions"
        verticalSpacing={7}
        aria-rowcount={total === null ? -1 : total + 1}
      >
        <Table.Thead className="sticky-head">
          <Table.Tr h={36} aria-rowindex={1}>
            <Table.Th className="choice-column">{props.children}</Table.Th>
            <Heads columns={columns} params={props.params} onChange={props.onChange} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={windowed.body}>
          <Blank height={windowed.above} />
          {rows.slice(windowed.first, windowed.last).map((submission, place) => {
            const index = windowed.first + place;
            if (isLight(index)) return <LightRow key={submission.id} index={index} />;
            return (
              <SubmissionRow
                key={submission.id}
                submission={submission}
                index={index}
                columns={columns}
                words={props.words}
                isActive={index === active}
                isNew={props.slidIn.has(submission.id)}
                isSelected={selection.has(submission.id)}
                formName={formNames?.get(submission.form_id) ?? ''}
                assignee={props.assigneeName(submission.assignee_id)}
                actions={props.actions}
                onSelect={selection.toggle}
                onLabel={props.onLabel}
                onOpen={props.onOpen}
              />
            );
          })}
          <Blank height={windowed.below} />
        </Table.Tbody>
      </Table>
    </div>
  );
}
