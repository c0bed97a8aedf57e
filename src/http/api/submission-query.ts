/** The query parameters of submission lists. */
import {
  fieldFilterLimits,
  type SubmissionFilters,
  type SubmissionQuery,
} from '../../contract/submission.js';
import { placeKindOf } from '../../domain/submissions/field-list.js';
import { searchWords } from '../../domain/submissions/search.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { FieldCondition, SubmissionFilter, SubmissionListing } from '../../model/submission.js';
import type { Page } from '../../ports/store.js';
import { decodeCursor } from './paging.js';

const invalid = (path: string, message: string) => refuse.invalidBody([{ path, message }]);

/** Returns the user for a parameter that depends on the caller. */
function callerOf({ userId }: Principal, path: string): string {
  if (userId === null) throw invalid(path, 'needs a signed-in user, not an API key');
  return userId;
}

const fieldPrefix = 'field.';
const containsSuffix = '.contains';

function fieldName(name: string, path: string): string {
  if (name === '' || name.length > fieldFilterLimits.nameLength)
    throw invalid(path, `must name a field of 1 to ${fieldFilterLimits.nameLength} characters`);
  return name;
}

/** Field names may contain any characters, including dots: only the last part can have a meaning. */
export function fieldConditions(query: object): readonly FieldCondition[] {
  const conditions = Object.entries(query)
    .filter(([parameter]) => parameter.startsWith(fieldPrefix))
    .map(([parameter, value]): FieldCondition => {
      const rest = parameter.slice(fieldPrefix.length);
      const isContained = rest.endsWith(containsSuffix);
      const name = isContained ? rest.slice(0, -containsSuffix.length) : rest;
      const kind = isContained ? 'contains' : 'equals';
      return { name: fieldName(name, fieldPrefix), kind, text: String(value) };
    });
  if (conditions.length > fieldFilterLimits.conditions)
    throw invalid(fieldPrefix, `must NOT be given more than ${fieldFilterLimits.conditions} times`);
  return conditions;
}

type Sort = Pick<SubmissionListing, 'sortField'> & Pick<SubmissionFilter, 'isOldestFirst'>;

function sortOf({ sort = '-created_at' }: SubmissionFilters): Sort {
  const isDescending = sort.startsWith('-');
  const by = isDescending ? sort.slice(1) : sort;
  if (by === 'created_at') return { sortField: null, isOldestFirst: !isDescending };
  if (!by.startsWith(fieldPrefix))
    throw invalid('sort', 'must be created_at, -created_at, field.NAME or -field.NAME');
  const name = fieldName(by.slice(fieldPrefix.length), 'sort');
  return { sortField: { name, isDescending }, isOldestFirst: false };
}

/** Throws when the filters of a saved view are invalid. */
export function checkFilters(query: SubmissionFilters): void {
  fieldConditions(query);
  sortOf(query);
}

export function toListing(who: Principal, query: SubmissionFilters): SubmissionListing {
  const { sortField, isOldestFirst } = sortOf(query);
  const filter: SubmissionFilter = {
    words: query.q === undefined ? [] : searchWords(query.q),
    since: query.since === undefined ? null : Date.parse(query.since),
    until: query.until === undefined ? null : Date.parse(query.until),
    webhookState: query.webhook_state ?? null,
    folder: query.folder ?? null,
    read: query.is_read === undefined ? null : { userId: callerOf(who, 'is_read'), isRead: query.is_read },
    isStarred: query.is_starred ?? null,
    labelId: query.label ?? null,
    assignee: query.assignee === 'me' ? callerOf(who, 'assignee') : (query.assignee ?? null),
    isOldestFirst,
  };
  return { filter, fields: fieldConditions(query), sortField };
}

export const toPage = ({ limit, cursor }: SubmissionQuery, listing: SubmissionListing): Page => ({
  limit: limit ?? 25,
  after: decodeCursor(cursor, placeKindOf(listing)),
});
