/** The places of the inbox: each is a filtered list with its own URL. */
import type { View } from '../wire.js';
import * as words from '../words/places.js';
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

export const inbox = place(words.inbox, {});
export const folders = {
  all: place(words.all, { folder: 'kept' }),
  starred: place(words.starred, { folder: 'kept', isStarred: true }),
  mine: place(words.assignedToMe, { folder: 'kept', assignee: 'me' }),
  archive: place(words.archive, { folder: 'archive' }),
  spam: place(words.spam, { folder: 'spam' }),
  trash: place(words.trash, { folder: 'trash' }),
} as const;

/** The view of a form or project is a list on its page. */
export function placeOfView({ name, form_id, project_id, query }: View): InboxPlace {
  const path =
    form_id !== null
      ? `/forms/${form_id}`
      : project_id !== null
        ? `/projects/${project_id}/submissions`
        : '/inbox';
  return { name, address: addressOf(path, paramsOf(query)) };
}
