/** Whose submissions a method is about, and which part of a list. */
import type { Reach } from '../model/reach.js';

export type OwnerScope =
  | { readonly kind: 'form'; readonly formId: string }
  | { readonly kind: 'project'; readonly projectId: string };

/** Also all projects of an account, by their ids. */
export type SubmissionScope =
  | OwnerScope
  | { readonly kind: 'projects'; readonly projectIds: readonly string[] };

/** For what is known of an account too, as far as somebody reaches. */
export type TallyScope = OwnerScope | { readonly kind: 'account'; readonly reach: Reach };

export interface Page {
  readonly limit: number;
  /** Continue after this place: the id of the last item, or what the page before gave as `next`. */
  readonly after: string | null;
}
