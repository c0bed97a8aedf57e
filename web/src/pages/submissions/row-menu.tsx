/** The actions on one row. Rendered on first open, because there are many rows. */
import { Kbd, Menu } from '@mantine/core';
import { IconDots, IconMail, IconMailOpened, IconTag, IconUser } from '@tabler/icons-react';
import { useState } from 'react';
import type { InboxActions } from '../../inbox/actions.js';
import { AssigneeItems } from '../../inbox/assignee-picker.js';
import { movesFrom } from '../../inbox/folder-moves.js';
import type { Submission } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submissions.js';

interface RowMenuProps {
  readonly submission: Submission;
  readonly actions: InboxActions;
  /** Opens the label picker. */
  readonly onLabel: (id: string) => void;
}

const icon = { size: 16, stroke: 1.6 } as const;

/** The keyboard shortcut. Hidden from screen readers, which would read a letter with each item. */
const Key = ({ children }: { readonly children: string }) => (
  <Kbd size="xs" aria-hidden>
    {children}
  </Kbd>
);

function Items({ submission, actions, onLabel }: RowMenuProps) {
  const { id, folder = 'inbox', is_read, assignee_id } = submission;
  return (
    <>
      <Menu.Item
        leftSection={is_read === false ? <IconMailOpened {...icon} /> : <IconMail {...icon} />}
        rightSection={<Key>u</Key>}
        onClick={() => void actions.mark([submission], is_read === false)}
      >
        {is_read === false ? words.markAsRead : words.markAsUnread}
      </Menu.Item>
      <Menu.Item leftSection={<IconTag {...icon} />} rightSection={<Key>l</Key>} onClick={() => onLabel(id)}>
        {words.label}
      </Menu.Item>
      <Menu.Sub>
        <Menu.Sub.Target>
          <Menu.Sub.Item leftSection={<IconUser {...icon} />}>{words.assignTo}</Menu.Sub.Item>
        </Menu.Sub.Target>
        <Menu.Sub.Dropdown>
          <AssigneeItems
            assigneeId={assignee_id}
            onAssign={(userId) => void actions.assign([submission], userId)}
          />
        </Menu.Sub.Dropdown>
      </Menu.Sub>
      <Menu.Divider />
      {movesFrom[folder].map(({ folder: target, label, icon: Icon, shortcut }) => (
        <Menu.Item
          key={target}
          leftSection={<Icon {...icon} />}
          rightSection={shortcut && <Key>{shortcut}</Key>}
          onClick={() => void actions.move([submission], target)}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  );
}

export function RowMenu(props: RowMenuProps) {
  const [opened, setOpened] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const button = (
    <button
      type="button"
      className="icon-button above"
      aria-label={common.actions}
      aria-haspopup="menu"
      onClick={() => {
        setWasOpened(true);
        setOpened(!opened);
      }}
    >
      <IconDots {...icon} />
    </button>
  );
  if (!wasOpened) return button;
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-end" shadow="md">
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Items {...props} />
      </Menu.Dropdown>
    </Menu>
  );
}
