/** The inbox: what users do with submissions, apart from the submitted data. */
import { type Folder, type LabelColor, type MovableFolder, setAsideFolders } from '../contract/inbox.js';

export type { Folder, LabelColor, SetAsideFolder } from '../contract/inbox.js';

export const isSetAside = (folder: Folder): boolean => setAsideFolders.some((aside) => aside === folder);

/** How long submissions in the trash can be restored. */
export const trashLifeMs = 30 * 24 * 60 * 60 * 1000;

/** Unread submissions are counted up to this number: a larger count has no use. */
export const mostUnread = 1_000;

export interface Label {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly color: LabelColor;
  readonly createdAt: number;
}

/** Labels with the same key are the same to users. */
export const labelKey = (name: string): string => name.normalize('NFC').toLowerCase();

export interface Note {
  readonly id: string;
  readonly accountId: string;
  readonly submissionId: string;
  /** null: an API key. */
  readonly authorId: string | null;
  readonly text: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface WrittenNote extends Note {
  /** null: an API key, or a deleted user. */
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

/** What users have done with one submission, as seen by one of them. */
export interface InboxState {
  readonly id: string;
  readonly formId: string;
  readonly projectId: string;
  readonly folder: Folder;
  readonly trashedAt: number | null;
  /** null for API keys, which do not read submissions. */
  readonly isRead: boolean | null;
  readonly isStarred: boolean;
  /** null: unassigned, or assigned to a deleted user. */
  readonly assigneeId: string | null;
  /** Sorted by name. */
  readonly labels: readonly LabelSummary[];
  readonly notesCount: number;
}

/** Missing properties stay as they are. */
export interface InboxChange {
  readonly folder?: MovableFolder | undefined;
  readonly isRead?: boolean | undefined;
  readonly isStarred?: boolean | undefined;
  readonly assigneeId?: string | null | undefined;
  readonly addLabels?: readonly string[] | undefined;
  readonly removeLabels?: readonly string[] | undefined;
}
