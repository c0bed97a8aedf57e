/**
 * Removes the values of chosen fields from delivered submissions, in bounded steps. A form's submissions are walked through
 * once, oldest first; they wait in `redactions` until they are delivered.
 */
import { type Kysely, sql } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import { redactData, redactedText, redactText } from '../../../model/redaction.js';
import { atomically, type SqlContext, toList } from '../context.js';
import type { Schema } from '../schema.js';
import { buryFiles } from './files.js';

const walkedRows = 200;
/** Each may contain a mebibyte, in its data and in its deliveries. */
const redactedRows = 10;
/** How long a commit may take: an id is made before its submission is committed. */
const commitMs = 60_000;

/** Returns false when there are no submissions left to walk through. */
async function walk(context: SqlContext, now: number): Promise<boolean> {
  const forms = await context.read
    .selectFrom('forms')
    .select(['id', 'redacted_up_to'])
    .where('redact_fields', '<>', '[]')
    .where('deleted_at', 'is', null)
    .execute();
  for (const { id: formId, redacted_up_to: from } of forms) {
    const rows = await context.read
      .selectFrom('submissions')
      .select('id')
      .where('form_id', '=', formId)
      .where('id', '>', from)
      .where('id', '<', lowestIdAt(now - commitMs))
      .orderBy('id')
      .limit(walkedRows)
      .execute();
    const last = rows.at(-1);
    if (!last) continue;
    await atomically(context, async (db) => {
      const moved = await db
        .updateTable('forms')
        .set({ redacted_up_to: last.id })
        .where('id', '=', formId)
        .where('redacted_up_to', '=', from)
        .executeTakeFirst();
      if (moved.numUpdatedRows === 0n) return;
      for (const { id } of rows)
        await db
          .insertInto('redactions')
          .values({ submission_id: id, form_id: formId })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    });
    return true;
  }
  return false;
}

/** Waiting submissions with no pending delivery, no pending mail of a digest that includes them, and no open confirmation. */
async function delivered(db: Kysely<Schema>): Promise<readonly { submission_id: string; form_id: string }[]> {
  const { rows } = await sql<{ submission_id: string; form_id: string }>`
    SELECT r.submission_id, r.form_id FROM redactions r JOIN submissions s ON s.id = r.submission_id
    WHERE s.folder <> 'unconfirmed'
      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.submission_id = r.submission_id AND d.state = 'pending')
      AND NOT EXISTS (SELECT 1 FROM deliveries d JOIN deliveries m ON m.digest_id = d.digest_id
        WHERE d.submission_id = r.submission_id AND d.digest_id IS NOT NULL AND m.state = 'pending')
    ORDER BY r.submission_id LIMIT ${redactedRows}`.execute(db);
  return rows;
}

const changed = (
  text: string | null,
  names: ReadonlySet<string>,
  values: readonly string[],
): string | null => (text === null ? null : redactText(text, names, values));

async function redactSent(
  db: Kysely<Schema>,
  submissionId: string,
  names: ReadonlySet<string>,
  values: readonly string[],
): Promise<void> {
  const deliveries = await db
    .selectFrom('deliveries')
    .select(['id', 'url', 'body'])
    .where('submission_id', '=', submissionId)
    .execute();
  for (const { id, url, body } of deliveries) {
    await db
      .updateTable('deliveries')
      .set({ body: redactText(body, names, values), url: values.includes(url) ? redactedText : url })
      .where('id', '=', id)
      .execute();
    const attempts = await db
      .selectFrom('delivery_attempts')
      .select(['number', 'error', 'response', 'request', 'response_headers'])
      .where('delivery_id', '=', id)
      .execute();
    for (const { number, ...attempt } of attempts)
      await db
        .updateTable('delivery_attempts')
        .set({
          error: changed(attempt.error, names, values),
          response: changed(attempt.response, names, values),
          request: changed(attempt.request, names, values),
          response_headers: changed(attempt.response_headers, names, values),
        })
        .where('delivery_id', '=', id)
        .where('number', '=', number)
        .execute();
  }
}

/** Call it inside a transaction. */
async function redact(
  { engine }: SqlContext,
  db: Kysely<Schema>,
  submissionId: string,
  formId: string,
  now: number,
): Promise<void> {
  await db.deleteFrom('redactions').where('submission_id', '=', submissionId).execute();
  const form = await db
    .selectFrom('forms')
    .select('redact_fields')
    .where('id', '=', formId)
    .executeTakeFirst();
  const row = await db
    .selectFrom('submissions')
    .select('data')
    .where('id', '=', submissionId)
    .executeTakeFirst();
  const list = toList(form?.redact_fields ?? '[]');
  if (!row || list.length === 0) return;
  const names = new Set(list);
  const files = await db
    .selectFrom('files')
    .select(['id', 'filename'])
    .where('submission_id', '=', submissionId)
    .where('field_name', 'in', list)
    .where('deleted_at', 'is', null)
    .execute();
  const { data, values: texts } = redactData(row.data, names);
  const values = [...texts, ...files.map(({ filename }) => filename)];
  if (data !== row.data) {
    await db.updateTable('submissions').set({ data }).where('id', '=', submissionId).execute();
    await engine.reindex(db, [submissionId]);
  }
  if (files.length > 0) {
    const ids = files.map(({ id }) => id);
    await buryFiles(db, ids, now);
    // The stored response for a client that repeats its request names the files.
    await db.deleteFrom('idempotency_keys').where('submission_id', '=', submissionId).execute();
  }
  if (values.length > 0) {
    await redactSent(db, submissionId, names, values);
    await db
      .updateTable('opt_ins')
      .set({ address: redactedText })
      .where('submission_id', '=', submissionId)
      .where('address', 'in', values)
      .execute();
  }
}

export async function redactStep(context: SqlContext, now: number): Promise<boolean> {
  if (await walk(context, now)) return true;
  const rows = await delivered(context.read);
  if (rows.length === 0) return false;
  await atomically(context, async (db) => {
    for (const { submission_id, form_id } of rows) await redact(context, db, submission_id, form_id, now);
  });
  return true;
}
