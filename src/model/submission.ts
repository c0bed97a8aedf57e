import type { WebhookState } from './delivery.js';
import type { StoredFile } from './file.js';
import type { Folder } from './inbox.js';

export interface SubmissionMetadata {
  readonly ip: string;
  readonly userAgent: string;
  /** The Referer, or else the Origin. Empty when neither was sent. */
  readonly submittedFrom: string;
  /** The control fields as they were sent: the text of a JSON object. null: there were none. */
  readonly controlFields: string | null;
}

export interface Submission {
  /** A UUID v7 made from `createdAt`: ordering by id is ordering by time. */
  readonly id: string;
  readonly formId: string;
  readonly projectId: string;
  /** The text of a JSON object, stored byte for byte (see model/fields.ts). */
  readonly data: string;
  readonly metadata: SubmissionMetadata;
  readonly createdAt: number;
}

export interface SubmissionWithFiles extends Submission {
  readonly files: readonly StoredFile[];
  /** The `webhookStateOf` all its deliveries. null: it has none. */
  readonly deliveryState: WebhookState | null;
}

/** Which submissions of a form or project a list, search or export covers. */
export interface SubmissionFilter {
  /** Words that must all appear; each matches as a prefix. */
  readonly words: readonly string[];
  readonly since: number | null;
  readonly until: number | null;
  readonly webhookState: WebhookState | null;
  /** null: everything but spam and trash. */
  readonly folder: Folder | 'all' | null;
  /** Whether this user has read it. */
  readonly read: { readonly userId: string; readonly isRead: boolean } | null;
  readonly isStarred: boolean | null;
  readonly labelId: string | null;
  /** The id of a user, or `none`. */
  readonly assignee: string | null;
  /** Ignored by searches, which return the latest commit first. */
  readonly isOldestFirst: boolean;
}

export const noFilter: SubmissionFilter = {
  words: [],
  since: null,
  until: null,
  webhookState: null,
  folder: null,
  read: null,
  isStarred: null,
  labelId: null,
  assignee: null,
  isOldestFirst: false,
};

/** A condition on the value of a field, regardless of case. */
export interface FieldCondition {
  readonly name: string;
  readonly kind: 'equals' | 'contains';
  readonly text: string;
}

/** A requested list. Submitted data has no index, so conditions on fields and sorting by a field are not part of the filter. */
export interface SubmissionListing {
  readonly filter: SubmissionFilter;
  /** All of them must be met. */
  readonly fields: readonly FieldCondition[];
  /** null: by time, as the filter specifies. */
  readonly sortField: { readonly name: string; readonly isDescending: boolean } | null;
}

/** The stored response to a request with an Idempotency-Key. */
export interface IdempotentResult {
  readonly formId: string;
  readonly key: string;
  readonly bodyHash: string;
  readonly submissionId: string;
  /** JSON text of the response's `files` array. */
  readonly files: string;
  readonly expiresAt: number;
}

export const idempotencyLifetimeMs = 24 * 60 * 60 * 1000;
