/**
 * A submission on one line. On a phone, further columns become a second line below the first. Plain elements: a key that reveals new
 * rows renders them within its frame, and with library components one row took 10 ms.
 */

import { Skeleton } from '@mantine/core';
import { IconPaperclip, IconUser } from '@tabler/icons-react';
import { type MouseEvent, memo } from 'react';
import { Link } from 'wouter';
import type { InboxActions } from '../../inbox/actions.js';
import { LabelChips } from '../../inbox/label-chips.js';
import { StarButton } from '../../inbox/star-button.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { isPicture } from '../../ui/picture.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Thumbnail } from '../../ui/thumbnail.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Submission } from '../../wire.js';
import * as list from '../../words/submissions.js';
import { fieldsOf, type Labels } from './columns.js';
import { cellText, FieldCell } from './field-cell.js';
import { Marked } from './marked.js';
import { RowMenu } from './row-menu.js';
import { WebhookState } from './webhook-state.js';

/** The columns besides the fields; the same for all rows. */
export interface ShownColumns {
  readonly fields: readonly string[];
  /** The fields that contain numbers. */
  readonly numbers: readonly string[];
  /** Field labels from the form's rules. */
  readonly labels: Labels;
  readonly hasForms: boolean;
  readonly hasLabels: boolean;
  readonly hasFiles: boolean;
  readonly hasDeliveries: boolean;
}

interface SubmissionRowProps {
  readonly submission: Submission;
  readonly index: number;
  readonly columns: ShownColumns;
  /** The words of the search. */
  readonly words: readonly string[];
  readonly isActive: boolean;
  /** It has just arrived. */
  readonly isNew: boolean;
  readonly isSelected: boolean;
  /** Empty unless the list is of several forms. */
  readonly formName: string;
  /** Null: unassigned. */
  readonly assignee: string | null;
  readonly actions: InboxActions;
  readonly onSelect: (id: string) => void;
  readonly onLabel: (id: string) => void;
  readonly onOpen: (submission: Submission, event: MouseEvent) => void;
}

/** The row's content. Cells do not depend on the position or the highlight. */
type CellsProps = Omit<SubmissionRowProps, 'index' | 'isActive' | 'isNew'>;

const Files = ({ files }: { readonly files: Submission['files'] }) => {
  const shown = files.find(isPicture) ?? files[0];
  if (shown === undefined) return null;
  const others = files.length - 1;
  return (
    <span className="row-parts">
      {isPicture(shown) ? (
        <Thumbnail file={shown} width={26} height={26} ask={{ w: 96, h: 96 }} />
      ) : (
        <IconPaperclip size={16} stroke={1.6} aria-hidden />
      )}
      <span className="quiet small">
        {isPicture(shown) ? (others > 0 ? `+${others}` : '') : files.length}
      </span>
    </span>
  );
};

/** Shortens an e-mail address to leave room for labels: jonas.weber@example.com becomes JW. Names stay as they are. */
function initialsOf(name: string): string {
  const at = name.lastIndexOf('@');
  if (at < 0) return name;
  const parts = name.slice(0, at).split(/[._+-]+/u);
  return parts
    .slice(0, 2)
    .map((part) => [...part][0] ?? '')
    .join('')
    .toUpperCase();
}

/** Labels and assignee. */
const Marks = ({ submission, assignee }: Pick<SubmissionRowProps, 'submission' | 'assignee'>) => (
  <span className="row-parts">
    <LabelChips labels={submission.labels ?? []} most={assignee === null ? 2 : 1} />
    {assignee !== null && (
      <span className="assignee quiet small" title={list.assignedTo(shownCharacters(assignee))}>
        <IconUser size={14} stroke={1.6} role="img" aria-label={list.assignedTo(shownCharacters(assignee))} />
        <Untrusted>{initialsOf(assignee)}</Untrusted>
      </span>
    )}
  </span>
);

/** The texts of a row: the title in the link's column, and the details for users who do not see the other columns. */
function textsOf({ data }: Submission, columns: readonly string[]) {
  const textOf = (field: string): string => cellText(data[field]);
  const hidden = fieldsOf([{ data }]).filter((field) => !columns.includes(field));
  const [first, ...others] = columns;
  const own = first === undefined ? '' : textOf(first);
  // Avoids a text that another column of the row shows anyway.
  const instead = own || hidden.map(textOf).find((text) => text !== '') || '';
  const title = instead || others.map(textOf).find((text) => text !== '') || '';
  const beside = (first === undefined ? hidden : others).map(textOf);
  return {
    title,
    isElsewhere: instead === '',
    beside: beside.filter((text) => text !== '' && text !== title),
  };
}

function Title({ submission, columns, words, assignee, onOpen }: CellsProps) {
  const { id, files } = submission;
  const { title, isElsewhere, beside } = textsOf(submission, columns.fields);
  const isUnread = submission.is_read === false;
  // All rows have equal height: on a phone, everything without a column shares the second line.
  const details = [
    ...(submission.labels ?? []).map(({ name }) => name),
    ...(assignee === null ? [] : [list.assignedToInLine(assignee)]),
    ...beside,
  ];
  return (
    <td>
      {isUnread && (
        <span className="unread-dot">
          <span className="only-heard">{list.unread}</span>
        </span>
      )}
      <Link
        href={`/submissions/${id}`}
        onClick={(event: MouseEvent) => onOpen(submission, event)}
        className="row-link"
        {...(title !== '' && isElsewhere && { 'aria-label': shownCharacters(title) })}
      >
        {title === '' ? (
          <span className="quiet">{files.length > 0 ? list.onlyFiles : list.noFields}</span>
        ) : isElsewhere ? (
          <>
            <span className="on-phone">
              <Marked text={title} words={words} />
            </span>
            <span className="quiet not-on-phone">–</span>
          </>
        ) : (
          <Marked text={title} words={words} />
        )}
      </Link>
      {columns.fields.length === 0 && beside.length > 0 && (
        <span className="quiet not-on-phone beside">
          <Marked text={beside.join(' · ')} words={words} />
        </span>
      )}
      <div className="quiet small on-phone line-clamp">
        {files.length > 0 && (
          <IconPaperclip className="clip" size={14} stroke={1.6} role="img" aria-label={list.withFiles} />
        )}
        <Marked text={details.join(' · ')} words={words} />
      </div>
    </td>
  );
}

/** Separate from the row, so that moving the highlight re-renders no cells. */
const Cells = memo(function Cells(props: CellsProps) {
  const { submission, columns, words, isSelected, formName, assignee, actions } = props;
  const { id, data, files } = submission;
  const may = actions.may(submission);
  return (
    <>
      <td className="choice-column">
        <span className="row-parts above">
          <input
            type="checkbox"
            className="row-check"
            checked={isSelected}
            onChange={() => props.onSelect(id)}
            aria-label={list.selectOf(submission.created_at)}
          />
          {may && (
            <StarButton
              isStarred={submission.is_starred === true}
              onChange={(isStarred) => void actions.star([submission], isStarred)}
            />
          )}
        </span>
      </td>
      <Title {...props} />
      {columns.fields.slice(1).map((column) => (
        <FieldCell
          key={column}
          value={data[column]}
          words={words}
          isNumber={columns.numbers.includes(column)}
        />
      ))}
      {columns.hasForms && (
        <td className="quiet not-on-phone">
          <Untrusted>{formName}</Untrusted>
        </td>
      )}
      {columns.hasLabels && (
        <td className="not-on-phone">
          <Marks submission={submission} assignee={assignee} />
        </td>
      )}
      {columns.hasFiles && (
        <td className="not-on-phone low">
          <Files files={files} />
        </td>
      )}
      {columns.hasDeliveries && (
        <td>
          <WebhookState submission={submission} />
        </td>
      )}
      <td className="number quiet">
        <RelativeTime iso={submission.created_at} />
      </td>
      <td className="menu-column low">
        {may && <RowMenu submission={submission} actions={actions} onLabel={props.onLabel} />}
      </td>
    </>
  );
});

export const SubmissionRow = memo(function SubmissionRow(props: SubmissionRowProps) {
  const { index, isActive, isNew, ...cells } = props;
  return (
    <tr
      className="row"
      data-active={isActive}
      data-row={index}
      data-unread={cells.submission.is_read === false}
      data-new={isNew}
      aria-rowindex={index + 2}
      aria-selected={cells.isSelected}
    >
      <Cells {...cells} />
    </tr>
  );
});

/** Placeholder for a row whose data is being reloaded. */
export const LightRow = ({ index }: { readonly index: number }) => (
  <tr className="row" data-row={index} aria-rowindex={index + 2} aria-busy="true">
    <td />
    <td>
      <Skeleton h={12} w="60%" />
    </td>
  </tr>
);
