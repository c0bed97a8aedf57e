/** Buttons that move a submission to another folder. Each move can be undone. */

import { Button } from '@mantine/core';
import type { Folder, Submission } from '../wire.js';
import { withKey } from '../words/inbox-actions.js';
import { useInboxActions } from './actions.js';
import { movesFrom } from './folder-moves.js';

interface MoveButtonsProps {
  readonly submission: Submission;
  /** Called immediately, before the response: the list shows the move already. */
  readonly onMoved?: (folder: Folder) => void;
}

export function MoveButtons({ submission, onMoved }: MoveButtonsProps) {
  const { may, move } = useInboxActions();
  if (!may(submission)) return null;
  return movesFrom[submission.folder ?? 'inbox'].map(({ folder: target, label, icon: Icon, shortcut }) => (
    <Button
      key={target}
      variant="default"
      {...(shortcut && { title: withKey(label, shortcut) })}
      leftSection={<Icon size={16} stroke={1.6} />}
      onClick={() => {
        void move([submission], target);
        onMoved?.(target);
      }}
    >
      {label}
    </Button>
  ));
}
