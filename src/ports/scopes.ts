/** Whose submissions a method covers, and which part of a list. */
import type { Reach } from '../model/reach.js';

export type OwnerScope =
  | { readonly kind: 'form'; readonly formId: string }
  | { readonly kind: 'project'; readonly projectId: string };

/** Can also be all projects of an account, by their ids. */
export type SubmissionScope =
  | OwnerScope
  | { readonly kind: 'projects'; readonly projectIds: readonly string[] };

/** Can also be an account, as far as the reach extends. */
export type TallyScope = OwnerScope | { readonly kind: 'account'; readonly reach: Reach };

export interface Page {
  readonly limit: number;
  /** Continue after this place: the id of the last item, or `next` of the previous page. */
  readonly after: string | null;
}
