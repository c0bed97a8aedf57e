/** Picks the assignee: a user of the account, or nobody. */
import { Menu, ScrollArea } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { type ReactElement, useCallback } from 'react';
import { useUsers } from '../queries.js';
import { useIsOfAccount, useSession } from '../session.js';
import { Untrusted } from '../ui/untrusted.js';
import * as words from '../words/inbox-actions.js';

interface AssigneePickerProps {
  /** Undefined when the selected submissions have different assignees. */
  readonly assigneeId: string | null | undefined;
  readonly onAssign: (userId: string | null) => void;
  readonly opened?: boolean;
  readonly onOpened?: (opened: boolean) => void;
  /** The trigger: a button that accepts a ref. */
  readonly children: ReactElement;
}

/** Returns the display name of an assignee: "me", an e-mail address, or null when unassigned. */
export function useAssigneeNames(): (userId: string | null | undefined) => string | null {
  const users = useUsers().data;
  const me = useSession().data?.user.id;
  const isOfAccount = useIsOfAccount();
  return useCallback(
    (userId) => {
      if (userId === null || userId === undefined) return null;
      if (userId === me) return words.me;
      if (!isOfAccount) return words.somebodyElse;
      return users?.find(({ id }) => id === userId)?.email ?? words.userNotKnownYet;
    },
    [users, me, isOfAccount],
  );
}

/** The same for a single assignee. */
export const useAssigneeName = (userId: string | null | undefined): string | null =>
  useAssigneeNames()(userId);

/** The users of the account, as menu items. */
export function AssigneeItems({
  assigneeId,
  onAssign,
}: Pick<AssigneePickerProps, 'assigneeId' | 'onAssign'>) {
  const users = useUsers().data ?? [];
  const me = useSession().data?.user;
  const others = users.filter(({ id }) => id !== me?.id);
  const entry = (id: string | null, name: string) => (
    <Menu.Item
      key={id ?? 'nobody'}
      onClick={() => onAssign(id)}
      rightSection={
        assigneeId === id ? (
          <IconCheck size={16} stroke={1.6} role="img" aria-label={words.assignedNow} />
        ) : null
      }
    >
      <Untrusted>{name}</Untrusted>
    </Menu.Item>
  );
  return (
    <ScrollArea.Autosize mah={300}>
      {me && entry(me.id, words.meChoice)}
      {others.map(({ id, email }) => entry(id, email))}
      {entry(null, words.nobody)}
    </ScrollArea.Autosize>
  );
}

export function AssigneePicker(props: AssigneePickerProps) {
  const { assigneeId, onAssign, opened, onOpened, children } = props;
  return (
    <Menu
      position="bottom-start"
      shadow="md"
      {...(opened !== undefined && { opened })}
      {...(onOpened && { onChange: onOpened })}
    >
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <AssigneeItems assigneeId={assigneeId} onAssign={onAssign} />
      </Menu.Dropdown>
    </Menu>
  );
}
