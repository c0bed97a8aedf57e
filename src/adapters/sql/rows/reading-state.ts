/**
 * Who has read what. A user has read a form's submissions up to a mark, with exceptions. A new submission is above every
 * mark, so nothing is written when it arrives.
 */
import { type Kysely, sql } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import type { Reach } from '../../../model/reach.js';
import type { TallyScope } from '../../../ports/store.js';
import { inReach } from '../reach.js';
import type { Schema } from '../schema.js';
import { rawPiece, readFlag } from '../submission-filter.js';

/** How many submissions the mark passes in one step. */
const stepRows = 1_000;
/** Ids are made before the commit, by clocks that differ: a submission that is committed late must not be below a mark. */
const settledMs = 60_000;
/** How many forms are reported as read at once: each is an event for every live page. */
const mostTold = 1_000;

const formsOf = (scope: TallyScope) => {
  const own =
    scope.kind === 'form'
      ? sql`forms.id = ${scope.formId}`
      : scope.kind === 'project'
        ? sql`forms.project_id = ${scope.projectId}`
        : sql`forms.project_id IN (SELECT projects.id FROM projects WHERE ${inReach(scope.reach)})`;
  return sql`forms.deleted_at IS NULL AND ${own}`;
};

const markOf = (userId: string) => sql`COALESCE(
  (SELECT m.read_up_to FROM read_marks m WHERE m.user_id = ${userId} AND m.form_id = forms.id),
  (SELECT u.read_up_to FROM users u WHERE u.id = ${userId}), '')`;

/** Call it inside a transaction, with submissions that exist. */
export async function setRead(
  db: Kysely<Schema>,
  userId: string,
  submissions: readonly { readonly id: string; readonly formId: string }[],
  isRead: boolean,
  now: number,
): Promise<void> {
  await addExceptions(db, userId, submissions, isRead);
  if (!isRead) return;
  for (const formId of new Set(submissions.map((one) => one.formId))) await advance(db, userId, formId, now);
}

async function addExceptions(
  db: Kysely<Schema>,
  userId: string,
  submissions: readonly { readonly id: string; readonly formId: string }[],
  isRead: boolean,
): Promise<void> {
  await db
    .insertInto('read_exceptions')
    .values(
      submissions.map(({ id, formId }) => ({
        user_id: userId,
        form_id: formId,
        submission_id: id,
        is_read: isRead ? 1 : 0,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'form_id', 'submission_id'])
        .doUpdateSet((e) => ({ is_read: e.ref('excluded.is_read') })),
    )
    .execute();
}

/**
 * Moves the mark over the next submissions once at least half of them are read, so that a user who reads them one by one does
 * not collect an exception for each. The unread ones become exceptions instead.
 */
async function advance(db: Kysely<Schema>, userId: string, formId: string, now: number): Promise<void> {
  const { rows } = await sql<{ id: string; is_read: number }>`
    SELECT submissions.id, ${rawPiece(readFlag(userId))} AS is_read
    FROM submissions JOIN forms ON forms.id = submissions.form_id
    WHERE submissions.form_id = ${formId} AND submissions.id > ${markOf(userId)}
      AND submissions.id < ${lowestIdAt(now - settledMs)}
    ORDER BY submissions.id LIMIT ${stepRows}`.execute(db);
  const unread = rows.filter((row) => Number(row.is_read) === 0).map(({ id }) => ({ id, formId }));
  const last = rows.at(-1);
  if (last && unread.length <= rows.length / 2) {
    if (unread.length > 0) await addExceptions(db, userId, unread, false);
    await sql`INSERT INTO read_marks (user_id, form_id, read_up_to) VALUES (${userId}, ${formId}, ${last.id})
      ON CONFLICT (user_id, form_id) DO UPDATE SET read_up_to = excluded.read_up_to`.execute(db);
  }
  // Below the mark, a read submission needs no exception.
  await sql`DELETE FROM read_exceptions WHERE user_id = ${userId} AND form_id = ${formId} AND is_read = 1
    AND submission_id <= (SELECT ${markOf(userId)} FROM forms WHERE forms.id = ${formId})`.execute(db);
}

/** Call it inside a transaction. A submission that is just being committed may count as read. */
export async function readAll(
  db: Kysely<Schema>,
  userId: string,
  scope: TallyScope,
): Promise<readonly { formId: string; projectId: string }[]> {
  const newest = sql`(SELECT submissions.id FROM submissions WHERE submissions.form_id = forms.id
    ORDER BY submissions.id DESC LIMIT 1)`;
  const { rows } = await sql<{ id: string; project_id: string }>`
    SELECT forms.id, forms.project_id FROM forms WHERE ${formsOf(scope)} AND (
      ${newest} > ${markOf(userId)} OR EXISTS (SELECT 1 FROM read_exceptions r
        WHERE r.user_id = ${userId} AND r.form_id = forms.id AND r.is_read = 0)
    ) ORDER BY forms.id LIMIT ${sql.lit(mostTold)}`.execute(db);
  await sql`INSERT INTO read_marks (user_id, form_id, read_up_to)
    SELECT ${userId}, forms.id, ${newest} FROM forms WHERE ${formsOf(scope)} AND ${newest} > ${markOf(userId)}
    ON CONFLICT (user_id, form_id) DO UPDATE SET read_up_to = excluded.read_up_to`.execute(db);
  await sql`DELETE FROM read_exceptions WHERE user_id = ${userId}
    AND form_id IN (SELECT forms.id FROM forms WHERE ${formsOf(scope)})`.execute(db);
  return rows.map((row) => ({ formId: row.id, projectId: row.project_id }));
}

export async function unread(
  db: Kysely<Schema>,
  reach: Reach,
  userId: string,
  most: number,
): Promise<readonly { formId: string; unread: number }[]> {
  // Above the mark, uses the index of the list; below it, the index of unread exceptions.
  const { rows } = await sql<{ form_id: string; above: number; below: number }>`
    SELECT forms.id AS form_id,
      (SELECT count(*) FROM (SELECT 1 FROM submissions s
        WHERE s.form_id = forms.id AND s.id > ${markOf(userId)} AND s.folder = 'inbox' AND NOT EXISTS (
          SELECT 1 FROM read_exceptions r WHERE r.user_id = ${userId} AND r.form_id = forms.id
            AND r.submission_id = s.id AND r.is_read = 1)
        LIMIT ${most}) AS newer) AS above,
      (SELECT count(*) FROM (SELECT 1 FROM read_exceptions r JOIN submissions s ON s.id = r.submission_id
        WHERE r.user_id = ${userId} AND r.form_id = forms.id AND r.is_read = 0
          AND r.submission_id <= ${markOf(userId)} AND s.folder = 'inbox'
        LIMIT ${most}) AS older) AS below
    FROM forms WHERE ${formsOf({ kind: 'account', reach })} ORDER BY forms.id`.execute(db);
  return rows
    .map((row) => ({ formId: row.form_id, unread: Math.min(most, Number(row.above) + Number(row.below)) }))
    .filter((form) => form.unread > 0);
}
