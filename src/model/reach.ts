/**
 * The part of an account that a caller can access: all of it, or some of its projects. The store looks things up within a
 * reach, never by account id: what is outside is not found, and code that forgets the projects does not compile.
 */
export interface Reach {
  readonly accountId: string;
  /** null: all projects, including future ones. */
  readonly projectIds: readonly string[] | null;
}

export const wholeAccount = (accountId: string): Reach => ({ accountId, projectIds: null });

export const isInReach = ({ projectIds }: Reach, projectId: string): boolean =>
  projectIds === null || projectIds.includes(projectId);
