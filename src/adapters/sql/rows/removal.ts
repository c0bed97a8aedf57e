/** Removes submissions with everything that belongs to them: rows, deliveries, search entries, totals. Files become tombstones. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import type { StoredFile } from '../../../model/file.js';
import { firstQuarterHourOf } from '../../../model/tally.js';
import type { PurgeStore } from '../../../ports/purge.js';
import { atomically, changesAny, inLockOrder, type SqlContext } from '../context.js';
import type { Schema } from '../schema.js';
import { buryFiles, toFile, tombstone } from './files.js';
import { redactStep } from './redaction.js';
import { foldTallies } from './tallies.js';
import { markVariantsRemoved } from './variants.js';

/** Submissions per cleanup step: short enough that no visitor's commit waits noticeably. */
const stepRows = 200;
const dayMs = 86_400_000;

const ofSubmission = [
  'deliveries',
  'mails',
  'idempotency_keys',
  'submission_labels',
  'notes',
  'read_exceptions',
  'redactions',
] as const;

/** Call it inside a transaction. Returns the files whose bytes can now be deleted. */
export async function removeSubmissions(
  { engine, slot }: SqlContext,
  db: Kysely<Schema>,
  ids: readonly string[],
  deletedAt: number,
): Promise<readonly StoredFile[]> {
  if (ids.length === 0) return [];
  const files = await db
    .selectFrom('files')
    .selectAll()
    .where('submission_id', 'in', ids)
    // Locked in id order, like everywhere that locks several files, so that two transactions cannot deadlock.
    .orderBy('id')
    .$if(engine.rowLock !== '', (query) => query.forUpdate())
    .execute();
  await db
    .updateTable('files')
    .set(tombstone(deletedAt))
    .where('submission_id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute();
  await markVariantsRemoved(
    db,
    files.map((file) => file.id),
    deletedAt,
  );
  for (const table of ofSubmission) await db.deleteFrom(table).where('submission_id', 'in', ids).execute();
  await engine.unindex(db, ids);
  // Counts what this transaction deleted: two concurrent deletes of the same submission must not count it twice.
  const removed = await db
    .deleteFrom('submissions')
    .where('id', 'in', ids)
    .returning(['form_id', 'folder'])
    .execute();
  // After the submissions, in the order in which a confirmation locks them.
  await db.deleteFrom('opt_ins').where('submission_id', 'in', ids).execute();
  const perForm = new Map<string, number>();
  for (const { form_id, folder } of removed)
    if (folder !== 'unconfirmed') perForm.set(form_id, (perForm.get(form_id) ?? 0) + 1);
  for (const [formId, count] of inLockOrder(perForm)) {
    await sql`INSERT INTO form_totals (form_id, slot, submissions) VALUES (${formId}, ${slot}, ${-count})
      ON CONFLICT (form_id, slot) DO UPDATE SET submissions = form_totals.submissions + excluded.submissions`.execute(
      db,
    );
  }
  return files.filter((file) => file.blob_key !== null).map(toFile);
}

/** Deletes one step of the rows that match `which`. Returns false when there were none. */
async function deleteSome<T extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: T,
  key: readonly (keyof Schema[T] & string)[],
  which: RawBuilder<unknown>,
): Promise<boolean> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const { numAffectedRows } = await sql`DELETE FROM ${sql.table(table)} WHERE (${columns}) IN (
    SELECT ${columns} FROM ${sql.table(table)} WHERE ${which} LIMIT ${sql.lit(stepRows)})`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Removes one step of the submissions that `find` returns. Returns false when there were none. */
async function removeStep(
  context: SqlContext,
  now: number,
  find: (db: Kysely<Schema>) => Promise<readonly { id: string }[]>,
): Promise<boolean> {
  if ((await find(context.read)).length === 0) return false;
  await atomically(context, async (db) => {
    // Queried again: a user may have restored one from the trash, or a visitor confirmed one, meanwhile.
    const ids = (await find(db)).map((row) => row.id);
    await removeSubmissions(context, db, ids, now);
  });
  return true;
}

export const purgeStore = (context: SqlContext): PurgeStore => ({
  purgeDeletedStep: (now) =>
    atomically(context, async (db) => {
      const form = await db
        .selectFrom('forms')
        .select('id')
        .where('deleted_at', 'is not', null)
        .limit(1)
        .executeTakeFirst();
      if (form) {
        await purgeForm(context, db, form.id, now);
        return true;
      }
      // A project is deleted only after all its forms, which refer to it.
      for (const table of ofProject)
        await db
          .deleteFrom(table)
          .where('project_id', 'in', (e) =>
            e.selectFrom('projects').select('projects.id').where('deleted_at', 'is not', null),
          )
          .execute();
      return changesAny(
        db
          .deleteFrom('projects')
          .where('deleted_at', 'is not', null)
          .where('id', 'not in', (e) => e.selectFrom('forms').select('forms.project_id')),
      );
    }),

  async purgeExpiredStep(now) {
    // Searches on a read connection: with many forms this would block the only writer.
    const forms = await context.read
      .selectFrom('forms')
      .select(['id', 'retention_days'])
      .where('retention_days', 'is not', null)
      .where('deleted_at', 'is', null)
      .execute();
    for (const form of forms) {
      const rows = await context.read
        .selectFrom('submissions')
        .select('id')
        .where('form_id', '=', form.id)
        .where('id', '<', lowestIdAt(now - (form.retention_days ?? 0) * dayMs))
        .orderBy('id')
        .limit(stepRows)
        .execute();
      if (rows.length === 0) continue;
      const ids = rows.map((row) => row.id);
      await atomically(context, (db) => removeSubmissions(context, db, ids, now));
      return true;
    }
    return false;
  },

  async purgeExpiredFilesStep(now) {
    const forms = await context.read
      .selectFrom('forms')
      .select(['id', 'file_retention_days'])
      .where('file_retention_days', 'is not', null)
      .where('deleted_at', 'is', null)
      .execute();
    for (const form of forms) {
      const rows = await context.read
        .selectFrom('files')
        .select('id')
        .where('form_id', '=', form.id)
        .where('submission_id', '<', lowestIdAt(now - (form.file_retention_days ?? 0) * dayMs))
        .where('deleted_at', 'is', null)
        .orderBy('submission_id')
        .limit(stepRows)
        .execute();
      if (rows.length === 0) continue;
      await atomically(context, (db) =>
        buryFiles(
          db,
          rows.map((row) => row.id),
          now,
        ),
      );
      return true;
    }
    return false;
  },

  redactStep: (now) => redactStep(context, now),

  purgeTrashStep: (before, now) =>
    removeStep(context, now, (db) =>
      db
        .selectFrom('submissions')
        .select('id')
        .where('trashed_at', '<', before)
        .orderBy('trashed_at')
        .limit(stepRows)
        .execute(),
    ),

  purgeUnconfirmedStep: (before, now) =>
    removeStep(context, now, (db) =>
      db
        .selectFrom('opt_ins')
        .select('submission_id as id')
        .where('confirmed_at', 'is', null)
        .where('expires_at', '<', before)
        .orderBy('expires_at')
        .limit(stepRows)
        .execute(),
    ),

  purgeIdempotentStep: (now) =>
    deleteSome(context.write, 'idempotency_keys', ['form_id', 'key'], sql`expires_at <= ${now}`),

  purgeChallengesStep: (now) =>
    deleteSome(context.write, 'spent_challenges', ['id'], sql`expires_at <= ${now}`),

  async purgeMailCapsStep(beforeDay) {
    const { write } = context;
    const old = sql`day < ${beforeDay}`;
    const hadCounts = await deleteSome(write, 'mail_counts', ['name', 'day'], old);
    return (await deleteSome(write, 'mail_permits', ['delivery_id'], old)) || hadCounts;
  },

  async purgeQuarantineStep(before, { perForm, textPerForm }) {
    // Ranks only forms that have too much: ranking 300,000 rows took 0.65 s of a reader, every few seconds.
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM quarantined WHERE id < ${lowestIdAt(before)}
      UNION
      SELECT id FROM (
        SELECT id, row_number() OVER newest AS place, sum(size) OVER newest AS text_so_far FROM quarantined
        WHERE form_id IN (
          SELECT form_id FROM quarantined GROUP BY form_id
          HAVING count(*) > ${perForm} OR sum(size) > ${textPerForm}
        ) WINDOW newest AS (PARTITION BY form_id ORDER BY id DESC)
      ) AS ranked WHERE place > ${perForm} OR text_so_far > ${textPerForm}
      LIMIT ${stepRows}`.execute(context.read);
    if (rows.length === 0) return false;
    const ids = rows.map((row) => row.id);
    await context.write.deleteFrom('quarantined').where('id', 'in', ids).execute();
    return true;
  },

  async purgeTalliesStep(beforeDay, examplesBefore) {
    const { write } = context;
    const days = ['form_id', 'day', 'kind', 'slot'] as const;
    const hadDays = await deleteSome(write, 'form_days', days, sql`day < ${beforeDay}`);
    const fine = ['form_id', 'quarter_hour', 'kind', 'slot'] as const;
    const hadFine = await deleteSome(
      write,
      'form_quarter_hours',
      fine,
      sql`quarter_hour < ${firstQuarterHourOf(beforeDay)}`,
    );
    const examples = ['form_id', 'reason', 'id'] as const;
    const old = sql`at < ${examplesBefore}`;
    return (await deleteSome(write, 'turned_away_examples', examples, old)) || hadDays || hadFine;
  },

  foldTalliesStep: (beforeDay) => atomically(context, (db) => foldTallies(db, beforeDay)),

  async purgeSessionsStep(now) {
    const expired = sql`expires_at <= ${now}`;
    const hadInvitations = await deleteSome(context.write, 'invitations', ['id'], expired);
    const hadLinks = await deleteSome(context.write, 'login_links', ['token_hash'], expired);
    const hadSessions = await deleteSome(context.write, 'sessions', ['token_hash'], expired);
    return hadInvitations || hadLinks || hadSessions;
  },

  async purgeAttemptsStep(before) {
    // No attempt is older than its delivery, whose id contains its time.
    const old = sql`delivery_id < ${lowestIdAt(before)} AND at < ${before} ORDER BY delivery_id`;
    // The mails of digests are not deleted with a submission. Written like the condition of their index.
    const mails = sql`submission_id = digest_id AND id < ${lowestIdAt(before)} AND state <> 'pending' ORDER BY id`;
    const hadMails = await deleteSome(context.write, 'deliveries', ['id'], mails);
    return (await deleteSome(context.write, 'delivery_attempts', ['delivery_id', 'number'], old)) || hadMails;
  },
});

const ofProject = ['replays', 'destinations', 'saved_views'] as const;

const ofForm = [
  'form_caps',
  'form_fields',
  'form_aliases',
  'destinations',
  'quarantined',
  'form_totals',
  'form_days',
  'form_quarter_hours',
  'turned_away_examples',
  'replays',
  'idempotency_keys',
  'saved_views',
  'read_marks',
] as const;

async function purgeForm(
  context: SqlContext,
  db: Kysely<Schema>,
  formId: string,
  now: number,
): Promise<void> {
  const rows = await db
    .selectFrom('submissions')
    .select('id')
    .where('form_id', '=', formId)
    .limit(stepRows)
    .execute();
  if (rows.length > 0) {
    await removeSubmissions(
      context,
      db,
      rows.map((row) => row.id),
      now,
    );
    return;
  }
  for (const table of ofForm) await db.deleteFrom(table).where('form_id', '=', formId).execute();
  await db.deleteFrom('forms').where('id', '=', formId).execute();
}
