/** Whose submissions a method is about, and which part of a list. */

export type OwnerScope =
  | { readonly kind: 'form'; readonly formId: string }
  | { readonly kind: 'project'; readonly projectId: string };

/** Also all projects of an account, by their ids. */
export type SubmissionScope =
  | OwnerScope
  | { readonly kind: 'projects'; readonly projectIds: readonly string[] };

/** For what is known of a whole account too. */
export type TallyScope = OwnerScope | { readonly kind: 'account'; readonly accountId: string };

export interface Page {
  readonly limit: number;
  /** Continue after this place: the id of the last item, or what the page before gave as `next`. */
  readonly after: string | null;
}
