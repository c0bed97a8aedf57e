/**
 * The list that a submission is viewed in, stored in the page URL: `?in=project&q=ada`. Previous and next survive a reload, and a link
 * can be shared.
 */
import type { Submission } from '../../wire.js';
import type { Way } from '../submissions/way.js';

export const placeName = 'in';

/** The list as URL parameters. Returns null when the submission is not in it. */
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

/** The query for the neighbours. Without a list in the URL it is the form's unfiltered list. */
export function neighboursQuery(search: string, submission: Submission): Readonly<Record<string, string>> {
  const { [placeName]: place = 'form', ...filter } = Object.fromEntries(new URLSearchParams(search));
  if (place === 'account') return filter;
  return place === 'project'
    ? { ...filter, project_id: submission.project_id }
    : { ...filter, form_id: submission.form_id };
}
