/** Where a submission can go from each folder, and what the button is called. */
import { IconAlertOctagon, IconArchive, IconInbox, IconTrash } from '@tabler/icons-react';
import type { Folder, MovableFolder } from '../wire.js';
import * as words from '../words/inbox-actions.js';
import * as places from '../words/places.js';

export interface FolderMove {
  readonly folder: MovableFolder;
  readonly label: string;
  readonly icon: typeof IconArchive;
  /** The one that does the same. */
  readonly shortcut?: string;
}

const archive: FolderMove = { folder: 'archive', label: places.archive, icon: IconArchive, shortcut: 'e' };
const spam: FolderMove = { folder: 'spam', label: places.spam, icon: IconAlertOctagon, shortcut: '!' };
const trash: FolderMove = { folder: 'trash', label: places.trash, icon: IconTrash, shortcut: '#' };
const toInbox = (label: string): FolderMove => ({ folder: 'inbox', label, icon: IconInbox });

export const movesFrom: Readonly<Record<Folder, readonly FolderMove[]>> = {
  inbox: [archive, spam, trash],
  archive: [toInbox(words.moveToInbox), spam, trash],
  spam: [toInbox(words.notSpam), trash],
  trash: [toInbox(words.restore)],
  unconfirmed: [],
};

/** For submissions of different folders. */
export const movesFromAny: readonly FolderMove[] = [toInbox(words.moveToInbox), archive, spam, trash];
