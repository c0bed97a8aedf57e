/** The filter of a list lives in the address of the page, so that it can be kept and shared. Days are UTC. */
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

const dayMs = 86_400_000;

/** From the first moment of a day to before the first moment after the last. */
export const rangeOf = (from: string, to: string): { readonly since?: string; readonly until?: string } => ({
  ...(from === '' ? {} : { since: `${from}T00:00:00.000Z` }),
  ...(to === '' ? {} : { until: new Date(Date.parse(to) + dayMs).toISOString() }),
});

export const filterOf = ({ q, from, to, state }: FilterParams): SubmissionFilter => ({
  ...(q.trim() === '' ? {} : { q: q.trim() }),
  ...rangeOf(from, to),
  ...(state === null ? {} : { webhook_state: state }),
});

export const isFiltered = (params: FilterParams): boolean => writeParams(params).size > 0;

export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

export function rangeWords(from: string, to: string): string {
  if (from === '' && to === '') return 'Any time';
  if (from === to) return from;
  if (to === '') return `Since ${from}`;
  if (from === '') return `Until ${to}`;
  return `${from} – ${to}`;
}
