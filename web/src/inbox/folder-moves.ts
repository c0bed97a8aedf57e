/** Where a submission can go from each folder, and what the button is called. */
import { IconAlertOctagon, IconArchive, IconInbox, IconTrash } from '@tabler/icons-react';
import type { Folder } from '../wire.js';

export interface FolderMove {
  readonly folder: Folder;
  readonly label: string;
  readonly icon: typeof IconArchive;
}

const archive: FolderMove = { folder: 'archive', label: 'Archive', icon: IconArchive };
const spam: FolderMove = { folder: 'spam', label: 'Spam', icon: IconAlertOctagon };
const trash: FolderMove = { folder: 'trash', label: 'Trash', icon: IconTrash };
const toInbox = (label: string): FolderMove => ({ folder: 'inbox', label, icon: IconInbox });

export const movesFrom: Readonly<Record<Folder, readonly FolderMove[]>> = {
  inbox: [archive, spam, trash],
  archive: [toInbox('Move to inbox'), spam, trash],
  spam: [toInbox('Not spam'), trash],
  trash: [toInbox('Restore')],
};

/** For submissions of different folders. */
export const movesFromAny: readonly FolderMove[] = [toInbox('Move to inbox'), archive, spam, trash];
