/** Projects that a user or an API key is limited to. */
import { refuse } from '../../model/errors.js';
import { wholeAccount } from '../../model/reach.js';
import type { BoundStore } from '../../ports/store.js';

/** Throws unless every id is a project of the account. `pathOf`: the path in the body of the id at this index. */
export async function requireProjects(
  from: BoundStore,
  accountId: string,
  ids: readonly string[],
  pathOf: (place: number) => string,
): Promise<void> {
  if (ids.length === 0) return;
  const listed = await from.projects.list(wholeAccount(accountId), null);
  const own = new Set(listed.map(({ project }) => project.id));
  const place = ids.findIndex((id) => !own.has(id));
  if (place >= 0)
    throw refuse.invalidBody([{ path: pathOf(place), message: 'is not a project of this account' }]);
}
