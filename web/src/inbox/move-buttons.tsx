/** Buttons that move submissions to another folder. Each move can be undone. */

import { Button } from '@mantine/core';
import { useMay } from '../may.js';
import type { Folder } from '../wire.js';
import { withKey } from '../words/inbox-actions.js';
import { type Ids, useInboxActions } from './actions.js';
import { movesFrom } from './folder-moves.js';

interface MoveButtonsProps {
  readonly ids: Ids;
  /** The current folder. */
  readonly folder: Folder;
  readonly size?: 'compact-xs' | 'sm';
  /** Called immediately, before the response: the list shows the move already. */
  readonly onMoved?: (folder: Folder) => void;
}

export function MoveButtons({ ids, folder, size = 'sm', onMoved }: MoveButtonsProps) {
  const { move } = useInboxActions();
  if (!useMay('inbox.manage')) return null;
  return movesFrom[folder].map(({ folder: target, label, icon: Icon, shortcut }) => (
    <Button
      key={target}
      size={size}
      variant="default"
      {...(shortcut && { title: withKey(label, shortcut) })}
      leftSection={<Icon size={16} stroke={1.6} />}
      onClick={() => {
        void move(ids, target);
        onMoved?.(target);
      }}
    >
      {label}
    </Button>
  ));
}
