/** A list's filter lives in the page URL, so that it can be bookmarked and shared. Days are in the user's time zone. */
import type { Folder, SubmissionFilters, WebhookState } from '../wire.js';

/** As the API accepts it, with the fields that visitors filled in. */
export type SubmissionFilter = Readonly<SubmissionFilters> & {
  readonly [field: `field.${string}`]: string;
};

const day = /^\d{4}-\d{2}-\d{2}$/;
const states: readonly string[] = ['pending', 'delivered', 'failed'];
/** The API's limits. */
export const maxFieldFilters = 5;
export const maxFieldName = 200;
const maxFieldValue = 500;

/** `kept`: inbox and archive, which the API lists when no folder is given. */
export type ShownFolder = Folder | 'kept' | 'all';
const shownFolders: readonly string[] = ['inbox', 'archive', 'spam', 'trash', 'unconfirmed', 'kept', 'all'];

/** The value that a field must equal or contain. */
export interface FieldFilter {
  readonly name: string;
  readonly isExact: boolean;
  readonly value: string;
}

/** A sort column: `created_at` is the time received, anything else `field.NAME`. */
export interface Sort {
  readonly by: string;
  readonly isDescending: boolean;
}
export const receivedColumn = 'created_at';
export const fieldColumn = (name: string): string => `field.${name}`;

export interface FilterParams {
  readonly q: string;
  /** First and last day, both inclusive; empty when open. */
  readonly from: string;
  readonly to: string;
  readonly state: WebhookState | null;
  readonly folder: ShownFolder;
  readonly isRead: boolean | null;
  readonly isStarred: boolean | null;
  readonly label: string | null;
  /** A user id, `me` or `none`. */
  readonly assignee: string | null;
  readonly fields: readonly FieldFilter[];
  /** Null: newest first. */
  readonly sort: Sort | null;
}

export const noFilter: FilterParams = {
  q: '',
  from: '',
  to: '',
  state: null,
  folder: 'inbox',
  isRead: null,
  isStarred: null,
  label: null,
  assignee: null,
  fields: [],
  sort: null,
};

const dayOf = (text: string | null): string =>
  text !== null && day.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

const flagOf = (text: string | null): boolean | null =>
  text === 'true' ? true : text === 'false' ? false : null;

const isOneOf = <Value extends string>(
  values: readonly string[],
  text: string | null,
): text is Value & string => text !== null && values.includes(text);

const idOf = (text: string | null): string | null => text?.slice(0, 64) || null;

function readFields(search: URLSearchParams): readonly FieldFilter[] {
  const found: FieldFilter[] = [];
  for (const [parameter, value] of search) {
    const named = /^field\.(.+?)(\.contains)?$/su.exec(parameter);
    const name = named?.[1] ?? '';
    if (name === '' || name.length > maxFieldName || value === '') continue;
    found.push({ name, isExact: named?.[2] === undefined, value: value.slice(0, maxFieldValue) });
  }
  return found.slice(0, maxFieldFilters);
}

function readSort(text: string | null): Sort | null {
  const isDescending = text?.startsWith('-') ?? false;
  const by = text?.slice(isDescending ? 1 : 0) ?? '';
  // Newest first is the default.
  if (by === receivedColumn) return isDescending ? null : { by, isDescending };
  return /^field\../su.test(by) && by.length <= maxFieldName + 6 ? { by, isDescending } : null;
}

export function readParams(search: URLSearchParams): FilterParams {
  const state = search.get('webhook_state');
  const folder = search.get('folder');
  return {
    q: (search.get('q') ?? '').slice(0, 500),
    from: dayOf(search.get('from')),
    to: dayOf(search.get('to')),
    state: isOneOf<WebhookState>(states, state) ? state : null,
    folder: isOneOf<ShownFolder>(shownFolders, folder) ? folder : 'inbox',
    isRead: flagOf(search.get('is_read')),
    isStarred: flagOf(search.get('is_starred')),
    label: idOf(search.get('label')),
    assignee: idOf(search.get('assignee')),
    fields: readFields(search),
    sort: readSort(search.get('sort')),
  };
}

const sortText = ({ by, isDescending }: Sort): string => (isDescending ? `-${by}` : by);
const fieldParameter = ({ name, isExact }: FieldFilter): string =>
  isExact ? fieldColumn(name) : `${fieldColumn(name)}.contains`;

export function writeParams(params: FilterParams): URLSearchParams {
  const { q, from, to, state, folder, isRead, isStarred, label, assignee, fields, sort } = params;
  const search = new URLSearchParams();
  if (q.trim() !== '') search.set('q', q.trim());
  if (from !== '') search.set('from', from);
  if (to !== '') search.set('to', to);
  if (state !== null) search.set('webhook_state', state);
  if (folder !== 'inbox') search.set('folder', folder);
  if (isRead !== null) search.set('is_read', String(isRead));
  if (isStarred !== null) search.set('is_starred', String(isStarred));
  if (label !== null) search.set('label', label);
  if (assignee !== null) search.set('assignee', assignee);
  for (const field of fields) search.append(fieldParameter(field), field.value);
  if (sort !== null) search.set('sort', sortText(sort));
  return search;
}

/** The start of a day in local time, or of the day `later` days after it. Not every day has 24 hours. */
function startOf(text: string, later = 0): string {
  const [year = 0, month = 1, dayOfMonth = 1] = text.split('-').map(Number);
  return new Date(year, month - 1, dayOfMonth + later).toISOString();
}

/** From the start of the first day until before the start of the day after the last. */
export const rangeOf = (from: string, to: string): { readonly since?: string; readonly until?: string } => ({
  ...(from === '' ? {} : { since: startOf(from) }),
  ...(to === '' ? {} : { until: startOf(to, 1) }),
});

export const filterOf = (params: FilterParams): SubmissionFilter => ({
  ...(params.q.trim() === '' ? {} : { q: params.q.trim() }),
  ...rangeOf(params.from, params.to),
  ...(params.state === null ? {} : { webhook_state: params.state }),
  ...(params.folder === 'kept' ? {} : { folder: params.folder }),
  ...(params.isRead === null ? {} : { is_read: params.isRead }),
  ...(params.isStarred === null ? {} : { is_starred: params.isStarred }),
  ...(params.label === null ? {} : { label: params.label }),
  ...(params.assignee === null ? {} : { assignee: params.assignee }),
  ...Object.fromEntries(params.fields.map((field) => [fieldParameter(field), field.value])),
  ...(params.sort === null ? {} : { sort: sortText(params.sort) }),
});

/** The user's day at that moment. */
export const dayAt = (at: Date): string => {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};

/** A saved view's filter as page parameters: timestamps become local days. */
export function paramsOf(query: SubmissionFilter): FilterParams {
  const { since, until, folder = 'kept', ...others } = query;
  const search = new URLSearchParams(Object.entries(others).map(([name, value]) => [name, String(value)]));
  return {
    ...readParams(search),
    folder,
    from: since === undefined ? '' : dayAt(new Date(since)),
    // `until` is exclusive.
    to: until === undefined ? '' : dayAt(new Date(Date.parse(until) - 1)),
  };
}

/** Whether the filter excludes anything from the selected folder. */
export const isNarrowed = (params: FilterParams): boolean =>
  writeParams({ ...params, folder: 'inbox', sort: null }).size > 0;

export const isFiltered = (params: FilterParams): boolean => isNarrowed(params) || params.folder !== 'inbox';

/** The local day: today, or `daysAgo` days back. */
export function localDay(daysAgo = 0): string {
  const now = new Date();
  return dayAt(new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo));
}
