/** The destinations that need attention, in words. Pure. */
import type { Attention } from '../../wire.js';
import { formatRelative } from '../../words/format.js';
import * as words from '../../words/overview.js';
import type { Scope } from './scope-select.js';

/** The destinations that receive submissions of the scope. A project's destination receives those of all its forms. */
export function failingIn(
  scope: Scope,
  projectOfForm: (formId: string) => string | undefined,
  attention: readonly Attention[],
): readonly Attention[] {
  const projectId =
    scope.project_id ?? (scope.form_id === undefined ? undefined : projectOfForm(scope.form_id));
  return attention.filter(({ destination, form_id, project_id }) => {
    if (destination === null) return false;
    if (scope.form_id === undefined) return projectId === undefined || project_id === projectId;
    return form_id === scope.form_id || (form_id === null && project_id === projectId);
  });
}

/** Names only the first; the list below names them all. Returns null when none fails. */
export function failingWords(failing: readonly Attention[], now: number): string | null {
  const [first, ...others] = failing;
  if (!first?.destination) return null;
  const { name, failing_since, waiting } = first.destination;
  return words.failing({
    name,
    form: first.form_name,
    isDisabled: first.kind === 'destination_disabled',
    since: failing_since === null ? null : formatRelative(Date.parse(failing_since), now),
    waiting,
    others: others.length,
  });
}
