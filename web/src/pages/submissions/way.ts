/** The list that a person came from to a submission: where "back" leads, and what is next. It lasts as long as the tab. */

import type { SubmissionFilter } from '../../inbox/filter-params.js';
import type { Scope } from '../../queries.js';

export interface Way {
  /** The address of the list, below the dashboard. */
  readonly back: string;
  /** What it is called. */
  readonly label: string;
  /** Null when it was no list of submissions. */
  readonly list: { readonly owner: Scope; readonly filter: SubmissionFilter } | null;
}

const place = 'inlet.way';

export const rememberWay = (way: Way): void => {
  try {
    sessionStorage.setItem(place, JSON.stringify(way));
  } catch {
    // A full or forbidden store costs the way back, nothing else.
  }
};

export function recallWay(): Way | null {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? 'null') as Way | null;
  } catch {
    return null;
  }
}
