/** What a list of submissions says of itself. */
import { countOf, formatCount } from '../../ui/numbers.js';
import type { FilterParams } from './filter-params.js';

interface Newer {
  readonly count: number;
  /** There are more than could be looked at: the last of them may be the first of the list. */
  readonly isMore: boolean;
}

export const newerWords = ({ count, isMore }: Newer): string =>
  isMore ? `More than ${formatCount(count - 1)}` : formatCount(count);

/** They are all only while nothing newer waits to be shown. */
export function shownWords(shown: number, newer: Newer, hasOlder: boolean): string {
  const words = countOf(shown, 'submission');
  if (newer.count > 0) return `${words} shown, ${newerWords(newer).toLowerCase()} newer above`;
  return hasOlder ? `${words} shown` : words;
}

/** Names only what was asked for. */
export function nothingFits({ q, from, to, state }: FilterParams): string {
  const days = from === '' && to === '' ? '' : ' in these days';
  const hasWords = q.trim() !== '';
  const clauses = [
    ...(hasWords ? [`has these words${days}`] : days === '' ? [] : [`came${days}`]),
    ...(state === null ? [] : ['has its webhook in this state']),
  ];
  return `No submission ${clauses.join(' and ')}.${hasWords ? ' Search matches the start of words.' : ''}`;
}
