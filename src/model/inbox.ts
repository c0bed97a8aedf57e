/** The inbox: what people do with submissions, apart from what was submitted. */
import { type Folder, type LabelColor, type MovableFolder, setAsideFolders } from '../contract/inbox.js';

export type { Folder, LabelColor, SetAsideFolder } from '../contract/inbox.js';

export const isSetAside = (folder: Folder): boolean => setAsideFolders.some((aside) => aside === folder);

/** How long what is in the trash can be taken out again. */
export const trashLifeMs = 30 * 24 * 60 * 60 * 1000;

/** A count of unread submissions ends here: nobody reads a larger one. */
export const mostUnread = 1_000;

export interface Label {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly color: LabelColor;
  readonly createdAt: number;
}

/** Labels with the same one are the same to people. */
export const labelKey = (name: string): string => name.normalize('NFC').toLowerCase();

export interface Note {
  readonly id: string;
  readonly accountId: string;
  readonly submissionId: string;
  /** null: a program, with an API key. */
  readonly authorId: string | null;
  readonly text: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface WrittenNote extends Note {
  /** null: a program, or a user who was deleted. */
  readonly author: { readonly id: string; readonly email: string } | null;
}

export interface SavedView {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** At most one of the two is set. */
  readonly formId: string | null;
  readonly projectId: string | null;
  /** The parameters of the list: the text of a JSON object. */
  readonly query: string;
  readonly position: number;
  readonly createdAt: number;
}

export type LabelSummary = Pick<Label, 'id' | 'name' | 'color'>;

/** What people have done with one submission, as one of them sees it. */
export interface InboxState {
  readonly id: string;
  readonly formId: string;
  readonly projectId: string;
  readonly folder: Folder;
  readonly trashedAt: number | null;
  /** null: a program asks, and a program reads nothing. */
  readonly isRead: boolean | null;
  readonly isStarred: boolean;
  /** null: nobody, or a user who was deleted. */
  readonly assigneeId: string | null;
  /** By name. */
  readonly labels: readonly LabelSummary[];
  readonly notesCount: number;
}

/** What is missing stays as it is. */
export interface InboxChange {
  readonly folder?: MovableFolder | undefined;
  readonly isRead?: boolean | undefined;
  readonly isStarred?: boolean | undefined;
  readonly assigneeId?: string | null | undefined;
  readonly addLabels?: readonly string[] | undefined;
  readonly removeLabels?: readonly string[] | undefined;
}
