/** The actions on the selected rows. */

import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import {
  IconDownload,
  IconMail,
  IconMailOpened,
  IconStar,
  IconStarOff,
  IconTag,
  IconTrash,
  IconUser,
} from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';
import type { InboxActions } from '../../inbox/actions.js';
import { AssigneePicker } from '../../inbox/assignee-picker.js';
import { type FolderMove, movesFrom, movesFromAny } from '../../inbox/folder-moves.js';
import { LabelPicker } from '../../inbox/label-picker.js';
import { useMayIn } from '../../may.js';
import type { Submission } from '../../wire.js';
import { withKey } from '../../words/inbox-actions.js';
import * as words from '../../words/submissions.js';
import { RetryButton } from '../deliveries/retry-selection.js';
import { askToDelete } from './delete-submissions.js';
import { exportKinds, exportSelection, maxExported } from './export-selection.js';

const icon = { size: 16, stroke: 1.6 } as const;

interface IconActionProps extends Omit<ComponentPropsWithRef<'button'>, 'color' | 'disabled' | 'style'> {
  readonly label: string;
  /** The keyboard shortcut. */
  readonly shortcut?: string | undefined;
  /** Shows the label where there is room, for frequent actions. */
  readonly withWords?: boolean;
}

/** Can be the target of a `Menu` or `Popover`. */
const IconAction = ({ label, shortcut, withWords = false, children, ...button }: IconActionProps) => (
  <Tooltip label={shortcut === undefined ? label : withKey(label, shortcut)}>
    <ActionIcon
      {...button}
      size="md"
      variant="subtle"
      color="gray"
      aria-label={label}
      className={withWords ? 'with-words' : ''}
    >
      {children}
      {withWords && <span className="action-words">{label}</span>}
    </ActionIcon>
  </Tooltip>
);

/** The moves that all of these rows allow. */
function movesOf(rows: readonly Submission[]): readonly FolderMove[] {
  const [first, ...others] = new Set(rows.map(({ folder = 'inbox' }) => folder));
  return first === undefined || others.length > 0 ? movesFromAny : movesFrom[first];
}

/** Actions with a picker of their own. */
export type Choosing = 'labels' | 'assignee';

interface SelectionActionsProps {
  readonly rows: readonly Submission[];
  readonly actions: InboxActions;
  readonly hasDeliveries: boolean;
  /** The open picker. */
  readonly choosing: Choosing | null;
  readonly onChoosing: (choosing: Choosing | null) => void;
  readonly onDeleted: (ids: readonly string[]) => void;
  readonly onDone: () => void;
}

function Marking({ rows, actions }: Pick<SelectionActionsProps, 'rows' | 'actions'>) {
  const isUnread = rows.some(({ is_read }) => is_read === false);
  const isPlain = rows.some(({ is_starred }) => is_starred !== true);
  return (
    <>
      <IconAction
        label={isUnread ? words.markAsRead : words.markAsUnread}
        shortcut="u"
        onClick={() => void actions.mark(rows, isUnread)}
      >
        {isUnread ? <IconMailOpened {...icon} /> : <IconMail {...icon} />}
      </IconAction>
      <IconAction
        label={isPlain ? words.addStar : words.removeStar}
        shortcut="s"
        onClick={() => void actions.star(rows, isPlain)}
      >
        {isPlain ? <IconStar {...icon} /> : <IconStarOff {...icon} />}
      </IconAction>
    </>
  );
}

const ExportMenu = ({ ids }: { readonly ids: readonly string[] }) => (
  <Menu position="bottom-start" shadow="md">
    <Menu.Target>
      <IconAction label={words.exportTheSelection}>
        <IconDownload {...icon} />
      </IconAction>
    </Menu.Target>
    <Menu.Dropdown>
      {ids.length > maxExported && <Menu.Label>{words.exportLimit(maxExported)}</Menu.Label>}
      {exportKinds.map(({ format, title }) => (
        <Menu.Item
          key={title}
          disabled={ids.length > maxExported}
          onClick={() => void exportSelection(ids, format)}
        >
          {title}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);

function Changes({ rows, actions, choosing, onChoosing, onDone }: SelectionActionsProps) {
  const isLabelling = choosing === 'labels';
  const assignees = new Set(rows.map(({ assignee_id }) => assignee_id ?? null));
  return (
    <>
      <Marking rows={rows} actions={actions} />
      <LabelPicker
        opened={isLabelling}
        onOpened={(isOpen) => onChoosing(isOpen ? 'labels' : null)}
        chosen={rows.map(({ labels = [] }) => labels)}
        onLabel={(labelId, isOn) => void actions.label(rows, labelId, isOn)}
      >
        <IconAction
          withWords
          label={words.label}
          shortcut="l"
          onClick={() => onChoosing(isLabelling ? null : 'labels')}
        >
          <IconTag {...icon} />
        </IconAction>
      </LabelPicker>
      <AssigneePicker
        opened={choosing === 'assignee'}
        onOpened={(isOpen) => onChoosing(isOpen ? 'assignee' : null)}
        assigneeId={assignees.size === 1 ? [...assignees][0] : undefined}
        onAssign={(userId) => void actions.assign(rows, userId)}
      >
        <IconAction withWords label={words.assign} shortcut="a">
          <IconUser {...icon} />
        </IconAction>
      </AssigneePicker>
      {movesOf(rows).map(({ folder, label, icon: Icon, shortcut }) => (
        <IconAction
          key={folder}
          withWords
          label={label}
          shortcut={shortcut}
          onClick={() => {
            void actions.move(rows, folder);
            onDone();
          }}
        >
          <Icon {...icon} />
        </IconAction>
      ))}
    </>
  );
}

const idsOf = (rows: readonly Submission[]): readonly string[] => rows.map(({ id }) => id);

/** A list may show rows of projects in which the user may change nothing: each action is about the other rows. */
export function SelectionActions(props: SelectionActionsProps) {
  const { rows, actions, hasDeliveries, onDeleted, onDone } = props;
  const changeable = rows.filter(actions.may);
  const retryable = idsOf(rows.filter(useMayIn('deliveries.manage')));
  const deletable = idsOf(rows.filter(useMayIn('submissions.manage')));
  const isTrash = rows.every(({ folder }) => folder === 'trash');
  return (
    <>
      {changeable.length > 0 && <Changes {...props} rows={changeable} />}
      <ExportMenu ids={idsOf(rows)} />
      {hasDeliveries && !isTrash && retryable.length > 0 && (
        <RetryButton name="submission_ids" ids={retryable} onDone={onDone} />
      )}
      {isTrash && deletable.length > 0 && (
        <Button
          size="compact-xs"
          variant="light"
          color="red"
          leftSection={<IconTrash {...icon} />}
          onClick={() => askToDelete({ ids: deletable, onDeleted })}
        >
          {words.deleteForGood}
        </Button>
      )}
    </>
  );
}
