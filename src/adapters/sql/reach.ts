/** A reach as an SQL condition. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reach } from '../../model/reach.js';

/** True if the row of `projects` is in the reach. */
export const inReach = (reach: Reach): RawBuilder<SqlBool> =>
  sql<SqlBool>`(projects.account_id = ${reach.accountId} AND ${isOneOf(reach, sql.ref('projects.id'))})`;

/** True if the project id is in the reach. The caller checks the account separately. */
export const isOneOf = ({ projectIds }: Reach, projectId: RawBuilder<unknown>): RawBuilder<SqlBool> => {
  if (projectIds === null) return sql<SqlBool>`1 = 1`;
  if (projectIds.length === 0) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`${projectId} IN (${sql.join(projectIds)})`;
};
