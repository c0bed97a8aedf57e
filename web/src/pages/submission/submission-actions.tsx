/** The actions on a submission: the buttons of its page and their keys. */

import { ActionIcon, Button, Group, Tooltip } from '@mantine/core';
import {
  IconChevronLeft,
  IconChevronRight,
  IconMail,
  IconMailOpened,
  IconTag,
  IconTrash,
  IconUser,
} from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useInboxActions } from '../../inbox/actions.js';
import { AssigneePicker, useAssigneeName } from '../../inbox/assignee-picker.js';
import { LabelChips } from '../../inbox/label-chips.js';
import { LabelPicker } from '../../inbox/label-picker.js';
import { MoveButtons } from '../../inbox/move-buttons.js';
import { StarButton } from '../../inbox/star-button.js';
import { undoLast } from '../../inbox/undo.js';
import { useMay } from '../../may.js';
import { useKeys } from '../../ui/keyboard.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Folder, MovableFolder, Submission } from '../../wire.js';
import { withKey } from '../../words/inbox-actions.js';
import * as words from '../../words/submission.js';
import type { Steps } from './list-steps.js';
import { replyLink } from './reply-link.js';

/** Buttons to the previous and next submission in the list. */
export function StepButtons({ previous, next, go }: Steps) {
  return (
    <Group gap={4} wrap="nowrap">
      <Tooltip label={words.previousHint}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={words.previousSubmission}
          disabled={previous === null}
          onClick={() => previous !== null && go(previous)}
        >
          <IconChevronLeft size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={words.nextHint}>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={words.nextSubmission}
          disabled={next === null}
          onClick={() => next !== null && go(next)}
        >
          <IconChevronRight size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

interface ReplyProps {
  readonly submission: Submission;
  readonly formName: string;
}

/** Shown only if the visitor's address is certain. */
export function Reply({ submission, formName }: ReplyProps) {
  const { reply_to, data, metadata } = submission;
  const link = useRef<HTMLAnchorElement>(null);
  useKeys({ r: () => link.current?.click() });
  if (!reply_to) return null;
  const about = metadata.control_fields?._subject ?? formName;
  return (
    <Button
      ref={link}
      component="a"
      title={words.replyHint}
      href={replyLink({ address: reply_to, about, data })}
      variant="default"
      leftSection={<IconMail size={16} stroke={1.6} />}
    >
      {words.reply}
    </Button>
  );
}

interface MoveProps {
  readonly submission: Submission;
  /** It may have left the list. Not set in the pane beside a list, which has the same keys. */
  readonly onMoved?: () => void;
  readonly onDelete: () => void;
}

/** Moves between folders, with their keys. A submission in the trash can be deleted for good. */
export function Moves({ submission, onMoved, onDelete }: MoveProps) {
  const { folder = 'inbox', project_id } = submission;
  const { may, move } = useInboxActions();
  const mayDelete = useMay('submissions.manage', project_id);
  const to = (target: MovableFolder) => {
    if (!may(submission) || target === folder || folder === 'unconfirmed') return;
    void move([submission], target);
    onMoved?.();
  };
  useKeys(
    { e: () => to('archive'), '!': () => to('spam'), '#': () => to('trash'), z: undoLast },
    onMoved !== undefined,
  );
  return (
    <>
      <MoveButtons submission={submission} onMoved={() => onMoved?.()} />
      {folder === 'trash' && mayDelete && (
        <Button
          color="red"
          variant="light"
          leftSection={<IconTrash size={16} stroke={1.6} />}
          onClick={onDelete}
        >
          {words.deleteForGood}
        </Button>
      )}
    </>
  );
}

const folderNames: Readonly<Record<Folder, string | null>> = {
  inbox: null,
  archive: words.inArchive,
  spam: words.inSpam,
  trash: words.inTrash,
  unconfirmed: words.isUnconfirmed,
};

interface MarksProps {
  readonly submission: Submission;
  /** False in the pane beside a list: there the keys belong to the list. */
  readonly hasKeys?: boolean;
}

/** Star, labels, assignee and read state. */
export function Marks({ submission, hasKeys = false }: MarksProps) {
  const { is_starred = false, is_read, labels = [], assignee_id, folder = 'inbox' } = submission;
  const { may: mayChange, star, mark, label, assign } = useInboxActions();
  const [isLabelling, setLabelling] = useState(false);
  const [isAssigning, setAssigning] = useState(false);
  const assignee = useAssigneeName(assignee_id);
  const may = mayChange(submission);
  const isUnread = is_read === false;
  useKeys(
    {
      s: () => void star([submission], !is_starred),
      u: () => void mark([submission], isUnread),
      l: () => setLabelling(true),
      a: () => setAssigning(true),
    },
    hasKeys && may,
  );
  const folderChip = folderNames[folder] !== null && (
    <span className="label-chip">{folderNames[folder]}</span>
  );
  if (!may)
    return (
      <Group gap="xs">
        <LabelChips labels={labels} />
        {assignee !== null && <Untrusted>{words.assignedTo(assignee)}</Untrusted>}
        {folderChip}
      </Group>
    );
  return (
    <Group gap="xs" className="icons-on-phone">
      <StarButton isStarred={is_starred} onChange={(isOn) => void star([submission], isOn)} />
      <LabelChips labels={labels} />
      <LabelPicker
        opened={isLabelling}
        onOpened={setLabelling}
        chosen={[labels]}
        onLabel={(labelId, isOn) => void label([submission], labelId, isOn)}
      >
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconTag size={16} stroke={1.6} />}
          title={withKey(words.label, 'l')}
          onClick={() => setLabelling(!isLabelling)}
        >
          {words.label}
        </Button>
      </LabelPicker>
      <AssigneePicker
        opened={isAssigning}
        onOpened={setAssigning}
        assigneeId={assignee_id}
        onAssign={(userId) => void assign([submission], userId)}
      >
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconUser size={16} stroke={1.6} />}
          className="keeps-words"
          title={withKey(words.assign, 'a')}
        >
          {assignee === null ? words.assign : <Untrusted>{words.assignedTo(assignee)}</Untrusted>}
        </Button>
      </AssigneePicker>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={
          isUnread ? <IconMailOpened size={16} stroke={1.6} /> : <IconMail size={16} stroke={1.6} />
        }
        title={withKey(isUnread ? words.markAsRead : words.markAsUnread, 'u')}
        onClick={() => void mark([submission], isUnread)}
      >
        {isUnread ? words.markAsRead : words.markAsUnread}
      </Button>
      {folderChip}
    </Group>
  );
}
