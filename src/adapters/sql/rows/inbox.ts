/** What users do with submissions: columns of their rows, and rows in other tables. */
import { type Kysely, sql } from 'kysely';
import type { InboxChange, InboxState, LabelSummary } from '../../../model/inbox.js';
import type { Reach } from '../../../model/reach.js';
import type { InboxStore } from '../../../ports/inbox.js';
import { atomically, type SqlContext } from '../context.js';
import { inReach } from '../reach.js';
import type { Schema } from '../schema.js';
import { rawPiece, readFlag } from '../submission-filter.js';
import { pauseOrResume } from './pausing.js';
import { readAll, setRead, unread } from './reading-state.js';

const ownForms = (db: Kysely<Schema>, reach: Reach) =>
  db
    .selectFrom('forms')
    .innerJoin('projects', 'projects.id', 'forms.project_id')
    .select('forms.id')
    .where(inReach(reach))
    .where('forms.deleted_at', 'is', null);

async function labelsOf(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly LabelSummary[]>> {
  const rows = await db
    .selectFrom('submission_labels')
    .innerJoin('labels', 'labels.id', 'submission_labels.label_id')
    .select(['submission_labels.submission_id', 'labels.id', 'labels.name', 'labels.color'])
    .where('submission_labels.submission_id', 'in', ids)
    .orderBy('labels.name_key')
    .execute();
  const found = new Map<string, LabelSummary[]>();
  for (const { submission_id, ...label } of rows) {
    const known = found.get(submission_id);
    if (known) known.push(label);
    else found.set(submission_id, [label]);
  }
  return found;
}

async function notesOf(db: Kysely<Schema>, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('notes')
    .select(['submission_id', (e) => e.fn.countAll<number>().as('n')])
    .where('submission_id', 'in', ids)
    .groupBy('submission_id')
    .execute();
  return new Map(rows.map((row) => [row.submission_id, Number(row.n)]));
}

async function states(
  db: Kysely<Schema>,
  reach: Reach,
  userId: string | null,
  ids: readonly string[],
): Promise<readonly InboxState[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('submissions')
    // A deleted user is no longer an assignee.
    .leftJoin('users', 'users.id', 'submissions.assignee_id')
    .select([
      'submissions.id',
      'submissions.form_id',
      'submissions.project_id',
      'submissions.folder',
      'submissions.trashed_at',
      'submissions.is_starred',
      'users.id as assignee_id',
    ])
    .select(
      userId === null ? sql<null>`NULL`.as('is_read') : rawPiece<number>(readFlag(userId)).as('is_read'),
    )
    .where('submissions.id', 'in', ids)
    .where('submissions.form_id', 'in', ownForms(db, reach))
    .execute();
  const [labels, notes] = [await labelsOf(db, ids), await notesOf(db, ids)];
  return rows.map((row) => ({
    id: row.id,
    formId: row.form_id,
    projectId: row.project_id,
    folder: row.folder,
    trashedAt: row.trashed_at,
    isRead: row.is_read === null ? null : Number(row.is_read) === 1,
    isStarred: row.is_starred === 1,
    assigneeId: row.assignee_id,
    labels: labels.get(row.id) ?? [],
    notesCount: notes.get(row.id) ?? 0,
  }));
}

/** Locks rows in the order in which the dispatcher does: first the deliveries, then the submissions. */
export async function lockInQueueOrder(
  { engine }: SqlContext,
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<void> {
  if (engine.rowLock === '') return;
  const chosen = sql.join(ids);
  await sql`SELECT id FROM deliveries WHERE submission_id IN (${chosen}) AND state = 'pending'
    ORDER BY id ${sql.raw(engine.rowLock)}`.execute(db);
  await sql`SELECT id FROM submissions WHERE id IN (${chosen}) ORDER BY id ${sql.raw(engine.rowLock)}`.execute(
    db,
  );
}

async function changeRows(
  db: Kysely<Schema>,
  reach: Reach,
  ids: readonly string[],
  { folder, isStarred, assigneeId }: InboxChange,
  now: number,
): Promise<void> {
  const chosen = db.updateTable('submissions').where('id', 'in', ids);
  if (isStarred !== undefined) await chosen.set({ is_starred: isStarred ? 1 : 0 }).execute();
  if (assigneeId !== undefined)
    await chosen
      .set((e) => ({
        assignee_id: e
          .selectFrom('users')
          .select('users.id')
          .where('users.id', '=', assigneeId)
          .where('users.account_id', '=', reach.accountId),
      }))
      .execute();
  if (folder === undefined) return;
  await chosen
    .set({ folder, trashed_at: folder === 'trash' ? now : null })
    // What is in the trash already does not stay there longer.
    .where('folder', '<>', folder)
    .execute();
  await pauseOrResume(db, ids);
}

async function changeLabels(
  db: Kysely<Schema>,
  reach: Reach,
  ids: readonly string[],
  { addLabels = [], removeLabels = [] }: InboxChange,
): Promise<void> {
  if (removeLabels.length > 0)
    await db
      .deleteFrom('submission_labels')
      .where('label_id', 'in', removeLabels)
      .where('submission_id', 'in', ids)
      .execute();
  if (addLabels.length > 0)
    await sql`INSERT INTO submission_labels (label_id, submission_id)
      SELECT labels.id, submissions.id FROM labels CROSS JOIN submissions
      WHERE labels.account_id = ${reach.accountId} AND labels.id IN (${sql.join(addLabels)})
        AND submissions.id IN (${sql.join(ids)})
      ON CONFLICT DO NOTHING`.execute(db);
}

export const inboxStore = (context: SqlContext): InboxStore => ({
  states: (reach, userId, ids) => states(context.read, reach, userId, ids),

  change: (reach, userId, ids, change, now) =>
    atomically(context, async (db) => {
      const rows = await db
        .selectFrom('submissions')
        .select(['id', 'form_id as formId'])
        .where('id', 'in', ids)
        .where('form_id', 'in', ownForms(db, reach))
        .execute();
      if (rows.length === 0) return;
      const own = rows.map(({ id }) => id);
      await lockInQueueOrder(context, db, own);
      await changeRows(db, reach, own, change, now);
      await changeLabels(db, reach, own, change);
      if (change.isRead !== undefined && userId !== null) await setRead(db, userId, rows, change.isRead, now);
    }),

  readAll: (userId, scope) => atomically(context, (db) => readAll(db, userId, scope)),
  unread: (reach, userId, most) => unread(context.read, reach, userId, most),
});
