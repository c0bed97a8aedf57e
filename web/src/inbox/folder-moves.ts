/** The folders a submission can be moved to from each folder, with the button labels. */
import { IconAlertOctagon, IconArchive, IconInbox, IconTrash } from '@tabler/icons-react';
import type { Folder, MovableFolder } from '../wire.js';
import * as words from '../words/inbox-actions.js';
import * as places from '../words/places.js';

export interface FolderMove {
  readonly folder: MovableFolder;
  readonly label: string;
  readonly icon: typeof IconArchive;
  /** The keyboard shortcut for the same move. */
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

/** For a selection across folders. */
export const movesFromAny: readonly FolderMove[] = [toInbox(words.moveToInbox), archive, spam, trash];
