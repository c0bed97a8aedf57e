/** Taking submissions out, whole: rows, deliveries, search entries, totals; their files become tombstones. */
import { type Kysely, sql } from 'kysely';
import { lowestIdAt } from '../../kernel/ids.js';
import type { StoredFile } from '../../model/file.js';
import type { PurgeStore } from '../../ports/store.js';
import type { SqlContext } from './context.js';
import { atomically, inLockOrder } from './context.js';
import { toFile, tombstone } from './files.js';
import type { Schema } from './schema.js';
import { markVariantsRemoved } from './variants.js';

/** How many submissions one cleaning step takes: short enough that no visitor's commit waits noticeably behind it. */
const stepRows = 200;
const dayMs = 86_400_000;

/** Inside a transaction. Returns the files whose bytes can now go. */
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
    // Held in the order of their ids, as by who keeps pictures of several files: neither waits for what the other holds.
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
  await db.deleteFrom('deliveries').where('submission_id', 'in', ids).execute();
  await db.deleteFrom('mails').where('submission_id', 'in', ids).execute();
  await db.deleteFrom('idempotency_keys').where('submission_id', 'in', ids).execute();
  await engine.unindex(db, ids);
  // Counted by what this transaction took out: two who delete the same one at the same moment must not count it twice.
  const removed = await db.deleteFrom('submissions').where('id', 'in', ids).returning('form_id').execute();
  const perForm = new Map<string, number>();
  for (const { form_id } of removed) perForm.set(form_id, (perForm.get(form_id) ?? 0) + 1);
  for (const [formId, count] of inLockOrder(perForm)) {
    await sql`INSERT INTO form_totals (form_id, slot, submissions) VALUES (${formId}, ${slot}, ${-count})
      ON CONFLICT (form_id, slot) DO UPDATE SET submissions = form_totals.submissions + excluded.submissions`.execute(
      db,
    );
  }
  return files.filter((file) => file.blob_key !== null).map(toFile);
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
      // Only once all its forms are gone: they refer to it.
      await db
        .deleteFrom('replays')
        .where('project_id', 'in', (e) =>
          e.selectFrom('projects').select('projects.id').where('deleted_at', 'is not', null),
        )
        .execute();
      const done = await db
        .deleteFrom('projects')
        .where('deleted_at', 'is not', null)
        .where('id', 'not in', (e) => e.selectFrom('forms').select('forms.project_id'))
        .executeTakeFirst();
      return done.numDeletedRows > 0n;
    }),

  async purgeExpiredStep(now) {
    // Looked for by reading: with many forms the only writer would otherwise stand still meanwhile.
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

  async purgeIdempotentStep(now) {
    const expired = context.write
      .selectFrom('idempotency_keys')
      .select(['form_id', 'key'])
      .where('expires_at', '<=', now)
      .limit(stepRows);
    const done = await context.write
      .deleteFrom('idempotency_keys')
      .where((e) => e(e.refTuple('form_id', 'key'), 'in', expired.$asTuple('form_id', 'key')))
      .executeTakeFirst();
    return done.numDeletedRows > 0n;
  },

  async purgeChallengesStep(now) {
    const expired = context.write
      .selectFrom('spent_challenges')
      .select('id')
      .where('expires_at', '<=', now)
      .limit(stepRows);
    const done = await context.write
      .deleteFrom('spent_challenges')
      .where('id', 'in', expired)
      .executeTakeFirst();
    return done.numDeletedRows > 0n;
  },

  async purgeQuarantineStep(before, { perForm, textPerForm }) {
    // Only forms that have too much are ranked: ranking 300,000 rows took 0.65 s of a reader, every few seconds.
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
    const days = context.write
      .selectFrom('form_days')
      .select(['form_id', 'day', 'kind', 'slot'])
      .where('day', '<', beforeDay)
      .limit(stepRows);
    const counts = await context.write
      .deleteFrom('form_days')
      .where((e) =>
        e(
          e.refTuple('form_id', 'day', 'kind', 'slot'),
          'in',
          days.$asTuple('form_id', 'day', 'kind', 'slot'),
        ),
      )
      .executeTakeFirst();
    const old = context.write
      .selectFrom('turned_away_examples')
      .select(['form_id', 'reason', 'id'])
      .where('at', '<', examplesBefore)
      .limit(stepRows);
    const examples = await context.write
      .deleteFrom('turned_away_examples')
      .where((e) => e(e.refTuple('form_id', 'reason', 'id'), 'in', old.$asTuple('form_id', 'reason', 'id')))
      .executeTakeFirst();
    return counts.numDeletedRows + examples.numDeletedRows > 0n;
  },

  async purgeSessionsStep(now) {
    const expired = context.write
      .selectFrom('sessions')
      .select('token_hash')
      .where('expires_at', '<=', now)
      .limit(stepRows);
    const done = await context.write
      .deleteFrom('sessions')
      .where('token_hash', 'in', expired)
      .executeTakeFirst();
    return done.numDeletedRows > 0n;
  },

  async purgeAttemptsStep(before) {
    const expired = context.write
      .selectFrom('delivery_attempts')
      .select(['delivery_id', 'number'])
      // No attempt is older than its delivery, whose id tells its age.
      .where('delivery_id', '<', lowestIdAt(before))
      .where('at', '<', before)
      .orderBy('delivery_id')
      .limit(stepRows);
    const done = await context.write
      .deleteFrom('delivery_attempts')
      .where((e) => e(e.refTuple('delivery_id', 'number'), 'in', expired.$asTuple('delivery_id', 'number')))
      .executeTakeFirst();
    return done.numDeletedRows > 0n;
  },
});

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
  await db.deleteFrom('quarantined').where('form_id', '=', formId).execute();
  await db.deleteFrom('form_totals').where('form_id', '=', formId).execute();
  await db.deleteFrom('form_days').where('form_id', '=', formId).execute();
  await db.deleteFrom('turned_away_examples').where('form_id', '=', formId).execute();
  await db.deleteFrom('replays').where('form_id', '=', formId).execute();
  await db.deleteFrom('idempotency_keys').where('form_id', '=', formId).execute();
  await db.deleteFrom('forms').where('id', '=', formId).execute();
}
