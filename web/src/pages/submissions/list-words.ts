/** What a list of submissions says of itself. */

import type { FilterParams, ShownFolder } from '../../inbox/filter-params.js';
import { countOf } from '../../ui/numbers.js';
import { formatNumber } from '../../words/format.js';

interface Newer {
  readonly count: number;
  /** There are more than could be looked at: the last of them may be the first of the list. */
  readonly isMore: boolean;
}

export const newerWords = ({ count, isMore }: Newer): string =>
  isMore ? `More than ${formatNumber(count - 1)}` : formatNumber(count);

/** They are all only while nothing newer waits to be shown. */
export function shownWords(shown: number, newer: Newer, hasOlder: boolean): string {
  const words = countOf(shown, 'submission');
  if (newer.count > 0) return `${words} shown, ${newerWords(newer).toLowerCase()} newer above`;
  return hasOlder ? `${words} shown` : words;
}

/** What is shown of a folder when nothing is in it. */
export const emptyFolder: Readonly<Record<ShownFolder, string>> = {
  inbox: 'New submissions arrive here.',
  archive: 'Archived submissions appear here.',
  spam: 'Submissions that you mark as spam appear here. Their deliveries are paused.',
  trash: 'What is in the trash for 30 days is deleted for good.',
  kept: 'New and archived submissions appear here.',
  all: 'New submissions arrive here.',
};

/** Names only what was asked for. */
export function nothingFits(params: FilterParams): string {
  const { q, from, to, state } = params;
  const days = from === '' && to === '' ? '' : ' in these days';
  const hasWords = q.trim() !== '';
  const clauses = [
    ...(hasWords ? [`has these words${days}`] : days === '' ? [] : [`came${days}`]),
    ...(state === null ? [] : ['has its webhook in this state']),
  ];
  // What else narrows it stands in the chips above.
  if (clauses.length === 0) return 'No submission matches these filters.';
  return `No submission ${clauses.join(' and ')}.${hasWords ? ' Search matches the start of words.' : ''}`;
}
