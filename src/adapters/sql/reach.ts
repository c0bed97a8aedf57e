/** A reach as a condition. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reach } from '../../model/reach.js';

/** That the row of `projects` is in the reach. */
export const inReach = (reach: Reach): RawBuilder<SqlBool> =>
  sql<SqlBool>`(projects.account_id = ${reach.accountId} AND ${isOneOf(reach, sql.ref('projects.id'))})`;

/** That this is the id of a project in the reach; whose account it is, is asked for beside it. */
export const isOneOf = ({ projectIds }: Reach, projectId: RawBuilder<unknown>): RawBuilder<SqlBool> => {
  if (projectIds === null) return sql<SqlBool>`1 = 1`;
  if (projectIds.length === 0) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`${projectId} IN (${sql.join(projectIds)})`;
};
