/** The part of the store for what users do with submissions. */
import type { InboxChange, InboxState, Label, Note, SavedView, WrittenNote } from '../model/inbox.js';
import type { Reach } from '../model/reach.js';
import type { TallyScope } from './scopes.js';

export interface InboxStore {
  /** The state of those ids that belong to the account, as this user sees them; in no particular order. */
  states(reach: Reach, userId: string | null, ids: readonly string[]): Promise<readonly InboxState[]>;
  /**
   * Changes those ids that belong to the account, all or none. Waiting deliveries are paused when their submission moves to
   * spam or trash, and resume when it comes back. Labels and the assignee must belong to the account. `isRead` applies to
   * this user; without a user it is ignored.
   */
  change(
    reach: Reach,
    userId: string | null,
    ids: readonly string[],
    change: InboxChange,
    now: number,
  ): Promise<void>;
  /** Marks everything in the scope as read by this user. Returns the forms that had something unread; if there are very many, only some. */
  readAll(
    userId: string,
    scope: TallyScope,
  ): Promise<readonly { readonly formId: string; readonly projectId: string }[]>;
  /** The account's forms whose inbox has something unread by this user; counts up to `most` for each. */
  unread(
    reach: Reach,
    userId: string,
    most: number,
  ): Promise<readonly { readonly formId: string; readonly unread: number }[]>;
}

export interface LabelStore {
  /** `StoreConflict('unique')`: the account already has a label with this name, ignoring case. */
  create(label: Label): Promise<void>;
  /** By name. */
  list(accountId: string): Promise<readonly Label[]>;
  /** Conflicts like `create`. Returns null when the account has no such label. */
  update(
    accountId: string,
    id: string,
    settings: Partial<Pick<Label, 'name' | 'color'>>,
  ): Promise<Label | null>;
  /** Also removes it from all submissions. Returns false when the account has no such label. */
  delete(accountId: string, id: string): Promise<boolean>;
}

export interface NoteStore {
  create(note: Note): Promise<void>;
  count(submissionId: string): Promise<number>;
  find(reach: Reach, id: string): Promise<WrittenNote | null>;
  /** Oldest first. */
  list(reach: Reach, submissionId: string): Promise<readonly WrittenNote[]>;
  update(reach: Reach, id: string, text: string, updatedAt: number): Promise<void>;
  delete(reach: Reach, id: string): Promise<void>;
}

export interface ViewStore {
  create(view: SavedView): Promise<void>;
  find(reach: Reach, id: string): Promise<SavedView | null>;
  /** By position; without those of deleted forms and projects. */
  list(reach: Reach): Promise<readonly SavedView[]>;
  /** Returns false when the account has no such view. */
  update(view: SavedView): Promise<boolean>;
  /** Returns false when the account has no such view. */
  delete(reach: Reach, id: string): Promise<boolean>;
}
