/** Learns the fields of submissions that were stored by a release without field learning. */
import { createPace } from '../../kernel/pace.js';
import { allSeen, maxObservedNames, type SeenField } from '../../model/observed-field.js';
import type { Store } from '../../ports/store.js';

/** Runs one bounded step. Returns false when nothing is left, or when a process of another release is running. */
export type LearnBacklog = () => Promise<boolean>;

export function createBacklog(deps: {
  store: Pick<Store, 'fields' | 'processes'>;
  version: string;
}): LearnBacklog {
  const { fields, processes } = deps.store;
  /** What this process has stored: of a million submissions, few have a field that the others did not have. */
  const stored = new Map<string, Map<string, number>>();

  const isNew = ({ formId, name, kinds }: SeenField): boolean => {
    const known = stored.get(formId) ?? new Map<string, number>();
    stored.set(formId, known);
    const before = known.get(name);
    if (before === undefined ? known.size >= maxObservedNames : (before | kinds) === before) return false;
    known.set(name, (before ?? 0) | kinds);
    return true;
  };

  return async () => {
    const all = await processes.list();
    if (all.some(({ version }) => version !== deps.version)) {
      await fields.relearn();
      return false;
    }
    const backlog = await fields.backlog();
    if (backlog === null) return false;
    const pace = createPace();
    const found: SeenField[] = [];
    try {
      for (const submission of backlog.submissions) {
        if (pace.isOver()) await pace.rest();
        found.push(...allSeen(submission, submission.files).filter(isNew));
      }
      await fields.learn(found, backlog.next);
    } catch (error) {
      // Not stored, so not known.
      stored.clear();
      throw error;
    }
    if (backlog.next === null) stored.clear();
    return backlog.next !== null;
  };
}
