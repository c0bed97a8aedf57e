/**
 * What of an account somebody reaches: all of it, or some of its projects. The store looks things up within a reach, never
 * by an account id: what lies outside is not found, and a caller that forgets the projects does not compile.
 */
export interface Reach {
  readonly accountId: string;
  /** null: all of them, also those to come. */
  readonly projectIds: readonly string[] | null;
}

export const wholeAccount = (accountId: string): Reach => ({ accountId, projectIds: null });

export const isInReach = ({ projectIds }: Reach, projectId: string): boolean =>
  projectIds === null || projectIds.includes(projectId);
