/** The filter of a list lives in the address of the page, so that it can be kept and shared. Days are the reader's. */
import type { WebhookState } from '../../wire.js';
import type { SubmissionFilter } from './submission-list-query.js';

const day = /^\d{4}-\d{2}-\d{2}$/;
const states: readonly string[] = ['pending', 'delivered', 'failed'];

export interface FilterParams {
  readonly q: string;
  /** First and last day, both included; empty when open. */
  readonly from: string;
  readonly to: string;
  readonly state: WebhookState | null;
}

const dayOf = (text: string | null): string =>
  text !== null && day.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

export function readParams(search: URLSearchParams): FilterParams {
  const state = search.get('webhook_state') ?? '';
  return {
    q: (search.get('q') ?? '').slice(0, 500),
    from: dayOf(search.get('from')),
    to: dayOf(search.get('to')),
    state: states.includes(state) ? (state as WebhookState) : null,
  };
}

export function writeParams({ q, from, to, state }: FilterParams): URLSearchParams {
  const search = new URLSearchParams();
  if (q.trim() !== '') search.set('q', q.trim());
  if (from !== '') search.set('from', from);
  if (to !== '') search.set('to', to);
  if (state !== null) search.set('webhook_state', state);
  return search;
}

/** The first moment of a day where the reader is, or of one so many days later: not every day has 24 hours. */
function startOf(text: string, later = 0): string {
  const [year = 0, month = 1, dayOfMonth = 1] = text.split('-').map(Number);
  return new Date(year, month - 1, dayOfMonth + later).toISOString();
}

/** From the first moment of a day to before the first moment after the last. */
export const rangeOf = (from: string, to: string): { readonly since?: string; readonly until?: string } => ({
  ...(from === '' ? {} : { since: startOf(from) }),
  ...(to === '' ? {} : { until: startOf(to, 1) }),
});

export const filterOf = ({ q, from, to, state }: FilterParams): SubmissionFilter => ({
  ...(q.trim() === '' ? {} : { q: q.trim() }),
  ...rangeOf(from, to),
  ...(state === null ? {} : { webhook_state: state }),
});

export const isFiltered = (params: FilterParams): boolean => writeParams(params).size > 0;

/** The day where the reader is: today, or so many days ago. */
export function localDay(daysAgo = 0): string {
  const now = new Date();
  const then = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`;
}

export function rangeWords(from: string, to: string): string {
  if (from === '' && to === '') return 'Any time';
  if (from === to) return from;
  if (to === '') return `Since ${from}`;
  if (from === '') return `Until ${to}`;
  return `${from} – ${to}`;
}
