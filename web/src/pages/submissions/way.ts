/** The list a user opened a submission from, for the back link and the next submission. Lasts as long as the tab. */

import type { SubmissionFilter } from '../../inbox/filter-params.js';
import type { Scope } from '../../queries.js';

export interface Way {
  /** The path of the list, below the dashboard. */
  readonly back: string;
  readonly label: string;
  /** Null when it was not a list of submissions. */
  readonly list: { readonly owner: Scope; readonly filter: SubmissionFilter } | null;
}

const place = 'inlet.way';

export const rememberWay = (way: Way): void => {
  try {
    sessionStorage.setItem(place, JSON.stringify(way));
  } catch {
    // Storage is full or blocked: only the back link is lost.
  }
};

export function recallWay(): Way | null {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? 'null') as Way | null;
  } catch {
    return null;
  }
}
