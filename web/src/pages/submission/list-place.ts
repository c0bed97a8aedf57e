/**
 * The list that a submission is looked at in, as it stands in the address of its page: `?in=project&q=ada`. So the way along the
 * list lasts over a reload, and a link can be shared.
 */
import type { Submission } from '../../wire.js';
import type { Way } from '../submissions/way.js';

export const placeName = 'in';

/** The list, as parameters for the page; null: the submission is in none of it. */
export function searchOf(way: Way | null, submission: Submission): string | null {
  if (way === null || way.list === null) return null;
  const { owner, filter } = way.list;
  const { formId, projectId }: { readonly formId?: string; readonly projectId?: string } = owner;
  if (formId !== undefined && formId !== submission.form_id) return null;
  if (projectId !== undefined && projectId !== submission.project_id) return null;
  const search = new URLSearchParams({
    [placeName]: formId !== undefined ? 'form' : projectId !== undefined ? 'project' : 'account',
  });
  for (const [name, value] of Object.entries(filter)) search.set(name, String(value));
  return `?${search}`;
}

/** What the service is asked for. Without a list it is that of the form, as nobody has narrowed it down. */
export function neighboursQuery(search: string, submission: Submission): Readonly<Record<string, string>> {
  const { [placeName]: place = 'form', ...filter } = Object.fromEntries(new URLSearchParams(search));
  if (place === 'account') return filter;
  return place === 'project'
    ? { ...filter, project_id: submission.project_id }
    : { ...filter, form_id: submission.form_id };
}
