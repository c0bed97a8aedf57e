/** The places of the inbox: each is a list with a filter, and so an address. */
import type { View } from '../wire.js';
import { type FilterParams, noFilter, paramsOf, writeParams } from './filter-params.js';

export interface InboxPlace {
  readonly name: string;
  readonly address: string;
}

const addressOf = (path: string, params: FilterParams): string => {
  const search = writeParams(params);
  return search.size > 0 ? `${path}?${search}` : path;
};

const place = (name: string, params: Partial<FilterParams>): InboxPlace => ({
  name,
  address: addressOf('/inbox', { ...noFilter, ...params }),
});

export const inbox = place('Inbox', {});
export const folders = {
  all: place('All', { folder: 'kept' }),
  starred: place('Starred', { folder: 'kept', isStarred: true }),
  mine: place('Assigned to me', { folder: 'kept', assignee: 'me' }),
  archive: place('Archive', { folder: 'archive' }),
  spam: place('Spam', { folder: 'spam' }),
  trash: place('Trash', { folder: 'trash' }),
} as const;

/** A view of a form or a project is a list on its page. */
export function placeOfView({ name, form_id, project_id, query }: View): InboxPlace {
  const path =
    form_id !== null
      ? `/forms/${form_id}`
      : project_id !== null
        ? `/projects/${project_id}/submissions`
        : '/inbox';
  return { name, address: addressOf(path, paramsOf(query)) };
}
