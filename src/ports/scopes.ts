/** Whose submissions a method is about, and which part of a list. */

export type SubmissionScope =
  | { readonly kind: 'form'; readonly formId: string }
  | { readonly kind: 'project'; readonly projectId: string };

/** For what is known of a whole account too. */
export type TallyScope = SubmissionScope | { readonly kind: 'account'; readonly accountId: string };

export interface Page {
  readonly limit: number;
  /** Continue after this place: the id of the last item, or what the page before gave as `next`. */
  readonly after: string | null;
}
