/** Filters as conditions on the table `submissions`. Lists and both searches share the inbox conditions. */
import { type RawBuilder, sql } from 'kysely';
import { lowestIdAt } from '../../kernel/ids.js';
import type { SubmissionFilter } from '../../model/submission.js';
import type { SubmissionScope } from '../../ports/store.js';
import type { SqlValue } from './engine.js';

/** A piece of SQL with `?` parameters. */
export interface Piece {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Converts a piece for Kysely. */
export const rawPiece = <T>({ sql: text, params }: Piece): RawBuilder<T> => {
  const parts = text
    .split('?')
    .map((part, index) => (index === 0 ? sql.raw(part) : sql`${params[index - 1]}${sql.raw(part)}`));
  return sql<T>`${sql.join(parts, sql.raw(''))}`;
};

/** 1 if the user has read the submission, otherwise 0. */
export const readFlag = (userId: string): Piece => ({
  sql: readText,
  params: [userId, userId, userId],
});

const readText = `COALESCE(
  (SELECT r.is_read FROM read_exceptions r
    WHERE r.user_id = ? AND r.form_id = submissions.form_id AND r.submission_id = submissions.id),
  CASE WHEN submissions.id <= COALESCE(
    (SELECT m.read_up_to FROM read_marks m WHERE m.user_id = ? AND m.form_id = submissions.form_id),
    (SELECT u.read_up_to FROM users u WHERE u.id = ?)
  ) THEN 1 ELSE 0 END)`;

/** Leaves out the folders that are shown only when the filter names them. */
export const isListed = "submissions.folder NOT IN ('spam', 'trash', 'unconfirmed')";

/** Names the folder literally and repeats the indexes' condition: the indexes of the rare folders are used only then. */
function folderCondition(folder: SubmissionFilter['folder']): string | null {
  if (folder === 'all') return null;
  if (folder === null) return isListed;
  return folder === 'inbox'
    ? "submissions.folder = 'inbox'"
    : `submissions.folder = '${folder}' AND submissions.folder <> 'inbox'`;
}

const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

const ofScope = (scope: SubmissionScope): Piece => {
  if (scope.kind === 'form') return { sql: 'forms.id = ?', params: [scope.formId] };
  const ids = scope.kind === 'project' ? [scope.projectId] : scope.projectIds;
  return { sql: `forms.project_id IN (${placeholders(ids)})`, params: ids };
};

/**
 * For several projects, finds the newest submissions by walking all ids from the end: the indexes of several projects would
 * be read whole and sorted. Only rare submissions are found by index.
 */
export function submissionsOf(
  scope: SubmissionScope,
  { folder, isStarred, assignee }: SubmissionFilter,
): Piece {
  if (scope.kind === 'form') return { sql: 'submissions.form_id = ?', params: [scope.formId] };
  if (scope.kind === 'project') return { sql: 'submissions.project_id = ?', params: [scope.projectId] };
  const isRare =
    isStarred === true ||
    (assignee !== null && assignee !== 'none') ||
    (folder !== null && folder !== 'inbox' && folder !== 'all');
  const column = isRare ? 'submissions.project_id' : "(submissions.project_id || '')";
  return { sql: `${column} IN (${placeholders(scope.projectIds)})`, params: scope.projectIds };
}

/** The condition of the partial indexes on the rare states: SQLite uses them only when a query repeats it literally. */
const inRareState = "webhook_state IN ('pending', 'failed')";

/** The conditions of a list, without the words of a search. */
function listConditions(scope: SubmissionScope, filter: SubmissionFilter): readonly Piece[] {
  const { since, until, webhookState } = filter;
  const conditions: Piece[] = [submissionsOf(scope, filter)];
  const add = (text: string, ...params: readonly SqlValue[]) => conditions.push({ sql: text, params });
  // Submissions of a deleted form are stored until they are purged, but no longer shown.
  add('submissions.form_id NOT IN (SELECT forms.id FROM forms WHERE forms.deleted_at IS NOT NULL)');
  if (since !== null) add('submissions.id >= ?', lowestIdAt(since));
  if (until !== null) add('submissions.id < ?', lowestIdAt(until));
  if (webhookState !== null) add('webhook_state = ?', webhookState);
  if (webhookState === 'pending' || webhookState === 'failed') add(inRareState);
  return [...conditions, ...inboxConditions(scope, filter)];
}

/**
 * The conditions of the page behind an id, with only the tighter of two limits on the same side: SQLite walks an index from the
 * first one, so that each page of an export read all pages before it again (100,000 submissions: 8 s instead of 2).
 */
export function pageConditions(
  scope: SubmissionScope,
  filter: SubmissionFilter,
  after: string | null,
  isOldestFirst = false,
): readonly Piece[] {
  if (after === null) return listConditions(scope, filter);
  const { since, until } = filter;
  if (isOldestFirst) {
    if (after < lowestIdAt(since ?? 0)) return listConditions(scope, filter);
    const rest = listConditions(scope, { ...filter, since: null });
    return [...rest, { sql: 'submissions.id > ?', params: [after] }];
  }
  if (until !== null && after > lowestIdAt(until)) return listConditions(scope, filter);
  const rest = listConditions(scope, { ...filter, until: null });
  return [...rest, { sql: 'submissions.id < ?', params: [after] }];
}

/** Skips what has been read: nothing below both the lowest mark and the oldest exception is unread. */
function lowestUnread(scope: SubmissionScope, userId: string): Piece {
  const own = ofScope(scope);
  return {
    sql: `submissions.id >= COALESCE((SELECT min(place) FROM (
      SELECT min(COALESCE(m.read_up_to, u.read_up_to)) AS place FROM forms
        JOIN users u ON u.id = ? LEFT JOIN read_marks m ON m.user_id = u.id AND m.form_id = forms.id WHERE ${own.sql}
      UNION ALL
      SELECT min(r.submission_id) FROM read_exceptions r
        WHERE r.user_id = ? AND r.is_read = 0 AND r.form_id IN (SELECT forms.id FROM forms WHERE ${own.sql})
    ) AS places), '')`,
    params: [userId, ...own.params, userId, ...own.params],
  };
}

export function inboxConditions(scope: SubmissionScope, filter: SubmissionFilter): readonly Piece[] {
  const { read, isStarred, labelId, assignee } = filter;
  const conditions: Piece[] = [];
  const add = (text: string, ...params: readonly SqlValue[]) => conditions.push({ sql: text, params });
  const folder = folderCondition(filter.folder);
  if (folder !== null) add(folder);
  if (read !== null) {
    if (!read.isRead) conditions.push(lowestUnread(scope, read.userId));
    const flag = readFlag(read.userId);
    add(`${flag.sql} = ${read.isRead ? 1 : 0}`, ...flag.params);
  }
  if (isStarred !== null) add(`submissions.is_starred = ${isStarred ? 1 : 0}`);
  if (labelId !== null)
    add('submissions.id IN (SELECT l.submission_id FROM submission_labels l WHERE l.label_id = ?)', labelId);
  if (assignee === 'none') add('NOT EXISTS (SELECT 1 FROM users u WHERE u.id = submissions.assignee_id)');
  else if (assignee !== null) add('submissions.assignee_id = ?', assignee);
  return conditions;
}
