/** The part of the store that knows what people do with submissions. */
import type { InboxChange, InboxState, Label, Note, SavedView, WrittenNote } from '../model/inbox.js';
import type { Reach } from '../model/reach.js';
import type { TallyScope } from './scopes.js';

export interface InboxStore {
  /** How those of the ids that are the account's stand, as this user sees them; in no order. */
  states(reach: Reach, userId: string | null, ids: readonly string[]): Promise<readonly InboxState[]>;
  /**
   * Changes those of the ids that are the account's, all or none. Deliveries that wait are paused when their submission goes to
   * spam or trash, and go on when it comes back. Labels and the assignee must be the account's. `isRead` counts for this
   * user; for a program it is ignored.
   */
  change(
    reach: Reach,
    userId: string | null,
    ids: readonly string[],
    change: InboxChange,
    now: number,
  ): Promise<void>;
  /** This user has read all that is there now. Tells the forms in which something was not read before; of very many, some. */
  readAll(
    userId: string,
    scope: TallyScope,
  ): Promise<readonly { readonly formId: string; readonly projectId: string }[]>;
  /** The forms of the account in whose inbox something is unread by this user; each is counted to `most` and no further. */
  unread(
    reach: Reach,
    userId: string,
    most: number,
  ): Promise<readonly { readonly formId: string; readonly unread: number }[]>;
}

export interface LabelStore {
  /** `StoreConflict('unique')`: the account has one of this name, be it in another case. */
  create(label: Label): Promise<void>;
  /** By name. */
  list(accountId: string): Promise<readonly Label[]>;
  /** As `create`; null: the account has no such label. */
  update(
    accountId: string,
    id: string,
    settings: Partial<Pick<Label, 'name' | 'color'>>,
  ): Promise<Label | null>;
  /** It is taken off all submissions; false: the account has no such label. */
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
  /** By position; without those of forms and projects that are deleted. */
  list(reach: Reach): Promise<readonly SavedView[]>;
  update(view: SavedView): Promise<void>;
  /** False: the account has no such view. */
  delete(reach: Reach, id: string): Promise<boolean>;
}
