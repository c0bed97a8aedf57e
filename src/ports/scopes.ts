/** Whose submissions a method is about. */

export type SubmissionScope =
  | { readonly kind: 'form'; readonly formId: string }
  | { readonly kind: 'project'; readonly projectId: string };

/** For what is known of a whole account too. */
export type TallyScope = SubmissionScope | { readonly kind: 'account'; readonly accountId: string };
